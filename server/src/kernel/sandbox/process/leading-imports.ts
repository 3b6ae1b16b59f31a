/** A source without the imports that it begins with, which no function can hold. */
export interface SplitSource {
  /** The imports in one line; empty when there are none. */
  readonly imports: string;
  /** The rest, with blanks in the place of the imports: all positions stay. */
  readonly rest: string;
}

const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const IMPORT = /import\b(?!\s*[(.])[^"'`;]*["'][^"'\n]*["'][ \t]*;?/y;

export function splitImports(source: string): SplitSource {
  const imports: string[] = [];
  let end = 0;
  for (let at = 0; ;) {
    SPACE.lastIndex = at;
    at += SPACE.exec(source)?.[0].length ?? 0;
    IMPORT.lastIndex = at;
    const [text] = IMPORT.exec(source) ?? [];
    if (text === undefined) break;
    imports.push(text.replaceAll(/\s+/g, " ").replace(/;?$/, ";"));
    end = at += text.length;
  }
  const rest = source.slice(0, end).replaceAll(/[^\n\r\u2028\u2029]/g, " ") + source.slice(end);
  return { imports: imports.join(" "), rest };
}
