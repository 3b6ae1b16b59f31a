const ADDRESS = /^[^\s@<>,;]{1,64}@[^\s@<>,;]{1,190}$/;

export const isAddress = (text: string): boolean => ADDRESS.test(text);

/**
 * Addresses as people paste them, each once: by line, comma or semicolon, with names and angle brackets. What is not an
 * address stays as it was written.
 */
export function splitAddresses(text: string): readonly string[] {
  const parts = text
    .split(/[\n,;]+/)
    .map((part) => (/<([^<>]*)>/.exec(part)?.[1] ?? part).trim())
    .flatMap((part) => (part.includes("@") ? part.split(/\s+/) : [part]))
    .filter((part) => part !== "");
  return [...new Set(parts.map((part) => part.toLowerCase()))];
}
