const ADDRESS = /^[^\s@<>,;]{1,64}@[^\s@<>,;]{1,190}$/;

export const isAddress = (text: string): boolean => ADDRESS.test(text);

/**
 * Splits pasted addresses by line, comma or semicolon, without duplicates, names and angle brackets. Invalid ones
 * are kept unchanged.
 */
export function splitAddresses(text: string): readonly string[] {
  const parts = text
    .split(/[\n,;]+/)
    .map((part) => (/<([^<>]*)>/.exec(part)?.[1] ?? part).trim())
    .flatMap((part) => (part.includes("@") ? part.split(/\s+/) : [part]))
    .filter((part) => part !== "");
  return [...new Set(parts.map((part) => part.toLowerCase()))];
}
