/** Floating-point numbers as bytes, the most significant first. */
const view = new DataView(new ArrayBuffer(8))

export function doubleBytes(value: number): string {
  view.setFloat64(0, value)
  return bytesOf(8)
}

export function floatBytes(value: number): string {
  view.setFloat32(0, value)
  return bytesOf(4)
}

export function doubleOf(bytes: string): number {
  put(bytes)
  return view.getFloat64(0)
}

export function floatOf(bytes: string): number {
  put(bytes)
  return view.getFloat32(0)
}

function bytesOf(count: number): string {
  let text = ''
  for (let at = 0; at < count; at++) text += String.fromCharCode(view.getUint8(at))
  return text
}

function put(bytes: string): void {
  for (let at = 0; at < bytes.length; at++) view.setUint8(at, bytes.charCodeAt(at))
}
