/** Slots of a segment. A slot is the number of its segment, and in the lowest bits the place in it. */
export const SEGMENT_SLOTS = 8192
const SLOT_BITS = 13
export const SLOT_MASK = SEGMENT_SLOTS - 1

export function segmentOf(slot: number): number {
  return slot >>> SLOT_BITS
}

export function placeOf(slot: number): number {
  return slot & SLOT_MASK
}

export function slotAt(segment: number, place: number): number {
  return segment * SEGMENT_SLOTS + place
}
