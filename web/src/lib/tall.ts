/** Lists higher than a browser draws: it is told less, and rows are drawn nearer to where it is scrolled. */

/** No browser draws an element much higher, and beyond it single precision misses pixels. */
export const TALLEST = 16_000_000;

/** For `whole` pixels of rows seen through `room`: how high the browser is told they are, and how many one of its pixels is. */
export function scrolling(whole: number, room: number, most = TALLEST): { tall: number; pull: number } {
  return whole <= most ? { tall: whole, pull: 1 } : { tall: most, pull: (whole - room) / (most - room) };
}
