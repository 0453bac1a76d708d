/** Our own: those of Intl change with the language data of the platform, and terms must not. */
export const monthNames: readonly string[] =
  'January February March April May June July August September October November December'.split(' ')

/** As `Date` counts them, from Sunday on. */
export const weekdayNames: readonly string[] = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
