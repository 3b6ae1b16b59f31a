/**
 * True when a JSON text is nested deeper than `depthMax` levels; it is not parsed for that. It stands apart
 * from other files since the script process may load no library.
 */
export function isNestedDeeperThan(text: string, depthMax: number): boolean {
  if (text.length <= 2 * depthMax) return false;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    // Brackets and braces differ in this bit only.
    else if ((code | 0x20) === OPEN) depth += 1;
    else if ((code | 0x20) === CLOSE) depth -= 1;
    if (depth > depthMax) return true;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
