/** `1 step`, `2 steps`. */
export function amount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

export function memories(count: number): string {
  return amount(count, 'memory', 'memories')
}
