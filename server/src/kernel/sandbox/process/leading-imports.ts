/** A source without its leading imports, which a function body cannot contain. */
export interface SplitSource {
  /** The imports in one line. Empty without imports. */
  readonly imports: string;
  /** The remaining code. Imports are replaced with blanks to keep all positions. */
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
