/**
 * True if a JSON text is nested deeper than `depthMax`, without parsing it. In a separate file, because the script
 * process cannot load libraries.
 */
export function isNestedDeeperThan(text: string, depthMax: number): boolean {
  if (text.length <= 2 * depthMax) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    // Brackets and braces differ only in this bit.
    else if ((code | 0x20) === OPEN) depth += 1;
    else if ((code | 0x20) === CLOSE) depth -= 1;
    if (depth > depthMax) return true;
  }
  return false;
}

/** The position of a string's closing quote, given its opening one. After the text if it is missing. */
function endOfString(text: string, from: number): number {
  let walked = 0;
  for (let index = from + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index;
    if (code === BACKSLASH) index += 1;
    else if (++walked === SHORT) {
      // Large texts mostly consist of long strings. The engine's search skips them a hundred times faster.
      walked = 0;
      const quote = text.indexOf('"', index);
      if (quote === -1) return text.length;
      let backslashes = 0;
      while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
      if (backslashes % 2 === 0) return quote;
      index = quote;
    }
  }
  return text.length;
}

/** Short strings are scanned directly, without the search function. */
const SHORT = 64;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
