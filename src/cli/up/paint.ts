/** Texts that the views of a terminal share. */

export type Paint = (text: string) => string

export type Align = 'left' | 'right'

export function truncate(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}

/** `1234567` as `1,234,567`. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}

export function replicasInWords(count: number): string {
  return count === 1 ? '1 replica' : `${count} replicas`
}

/** Hours, minutes and seconds of the day, with milliseconds. */
export function timeOfDay(wallMs: number): string {
  const at = new Date(wallMs)
  const two = (value: number) => String(value).padStart(2, '0')
  const ms = String(at.getMilliseconds()).padStart(3, '0')
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${ms}`
}
