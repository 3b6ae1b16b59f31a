const ADDRESS = /^[^\s@<>,;]{1,64}@[^\s@<>,;]{1,190}$/;

export interface Addresses {
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

/** Addresses as people paste them: by line, comma or semicolon, with names and angle brackets, some of them twice. */
export function readAddresses(text: string): Addresses {
  const parts = text
    .split(/[\n,;]+/)
    .map((part) => (/<([^<>]*)>/.exec(part)?.[1] ?? part).trim())
    .flatMap((part) => (part.includes("@") ? part.split(/\s+/) : [part]))
    .filter((part) => part !== "");
  const unique = [...new Set(parts.map((part) => part.toLowerCase()))];
  return {
    good: unique.filter((part) => ADDRESS.test(part)),
    bad: unique.filter((part) => !ADDRESS.test(part)),
  };
}
