/** A block of commands in a guide. */
export interface Block {
  /** The line of its first command. */
  readonly line: number;
  readonly text: string;
}

/** The response to one request of a guide. */
export interface Answer {
  readonly line: number;
  readonly status: number;
  /** The status announced by the preceding comment: `# 412: …`. */
  readonly expected: number | undefined;
  readonly request: string;
}

const FENCE = /^```sh\n([\s\S]*?)^```$/gm;

/** The shell blocks that call the product. Blocks for administrators and those with a placeholder are skipped. */
export function commandsOf(markdown: string): Block[] {
  return [...markdown.matchAll(FENCE)]
    .map(({ index, 1: text = "" }) => ({
      line: markdown.slice(0, index).split("\n").length + 1,
      text,
    }))
    .filter(({ text }) => /\bcurl\b|^\w+\(\) \{/m.test(text) && !text.includes("…"));
}

/** Each request prints its line, the expected status, and the actual one. A stream is read for a moment. */
const CURL = String.raw`curl() {
  command curl --max-time 3 "$@" -w '%{stderr}\n@@ '"$line $expected"' %{http_code} %{method} %{url}\n' 2>&3
  expected=-
}
exec 3>&2
expected=-
`;
const PRINTED_ADDRESS = /(?:http:\/\/)?(?:127\.0\.0\.1|localhost):8080/g;
/** A long poll waits as long as its parameter says. */
const LONG_WAIT = /timeout=\d+/g;

export function scriptOf(blocks: readonly Block[], url: string): string {
  const lines = blocks.flatMap(({ line, text }) =>
    text
      .replaceAll(PRINTED_ADDRESS, url)
      .replaceAll(LONG_WAIT, "timeout=200")
      .split("\n")
      .map((each, index) => announce(each, line + index)),
  );
  return `${CURL}${lines.join("\n")}\n`;
}

/** Variables for the next request. The text in a quoted body is not changed. */
function announce(text: string, line: number): string {
  const status = /^# (\d{3})\b/.exec(text)?.[1];
  if (status !== undefined) return `expected=${status}`;
  return /^(?:[A-Z_]+=\$\()?curl\b/.test(text) ? `line=${line}; ${text}` : text;
}

export function answersIn(said: string): Answer[] {
  return [...said.matchAll(/^@@ (\d+) (-|\d+) (\d+) (.*)$/gm)].map(
    ([, line, expected, status, request = ""]) => ({
      line: Number(line),
      status: Number(status),
      expected: expected === "-" ? undefined : Number(expected),
      request,
    }),
  );
}
