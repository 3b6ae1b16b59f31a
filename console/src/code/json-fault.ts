/** Finds the position of a JSON syntax error: error messages of browsers do not contain it consistently. */
import type { CodeMark } from "./editor-props.ts";

const TOKEN =
  /\s*(?:("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([{}[\],:]))/uy;

interface Reader {
  readonly open: string[];
  /** The tokens allowed next. */
  expects: "value" | "first-item" | "name" | "first-name" | "colon" | "end";
}

/** Undefined for valid JSON. */
export function findJsonFault(text: string): CodeMark | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return markFault(text);
  }
}

function markFault(text: string): CodeMark {
  const reader: Reader = { open: [], expects: "value" };
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    const isTaken =
      token !== null &&
      !isCutWord(text, TOKEN.lastIndex, token[2]) &&
      take(reader, { isText: token[1] !== undefined, sign: token[3] });
    if (!isTaken) break;
    at = TOKEN.lastIndex;
  }
  const rest = /\S+/.exec(text.slice(at));
  const message = describeNeed(reader);
  // At the end of the text, the last character is marked.
  if (!rest) return { from: Math.max(0, text.trimEnd().length - 1), to: text.length, message };
  const from = at + rest.index;
  const [word = ""] = /^(?:[\w$.+-]+|"[^\n]*|.)/.exec(text.slice(from)) ?? [];
  return { from, to: from + word.length, message };
}

/** `nulls` starts with a JSON keyword but is invalid. */
const isCutWord = (text: string, end: number, word: string | undefined): boolean =>
  word !== undefined && /[\w.]/.test(text.charAt(end));

interface Token {
  readonly isText: boolean;
  readonly sign: string | undefined;
}

function take(reader: Reader, { isText, sign }: Token): boolean {
  const { open, expects } = reader;
  const close = (): true => {
    open.pop();
    reader.expects = "end";
    return true;
  };
  switch (expects) {
    case "first-name":
    case "name":
      if (sign === "}" && expects === "first-name") return close();
      reader.expects = "colon";
      return isText || fail(reader, expects);
    case "colon":
      reader.expects = sign === ":" ? "value" : "colon";
      return sign === ":";
    case "first-item":
    case "value":
      if (sign === "]" && expects === "first-item") return close();
      if (sign === undefined) reader.expects = "end";
      else if (sign === "{" || sign === "[") {
        open.push(sign);
        reader.expects = sign === "{" ? "first-name" : "first-item";
      } else return false;
      return true;
    case "end": {
      const inner = open.at(-1);
      if (inner === undefined) return false;
      if (sign === (inner === "{" ? "}" : "]")) return close();
      if (sign === ",") reader.expects = inner === "{" ? "name" : "value";
      return sign === ",";
    }
  }
}

function fail(reader: Reader, expects: Reader["expects"]): false {
  reader.expects = expects;
  return false;
}

function describeNeed({ open, expects }: Reader): string {
  if (expects === "colon") return "A colon is missing here.";
  if (expects === "name" || expects === "first-name") return "Enter a name in double quotes here.";
  if (expects !== "end") return "Enter a value here: text in double quotes, a number, a list …";
  if (open.length === 0) return "Remove this text. The JSON value ends before it.";
  return open.at(-1) === "{" ? "A comma or } is missing here." : "A comma or ] is missing here.";
}
