import { pino } from "pino";
import { expect, test } from "vitest";
import { recentSecrets, scrubDestination } from "./recent-secrets.ts";

const VALUE = 'p"l\\anted/värde\n+ 0987';

/** Writes log lines and parses them as JSON. */
function logged(tell: (log: ReturnType<typeof pino>) => void): Record<string, any>[] {
  const lines: string[] = [];
  tell(pino({ base: null }, scrubDestination({ write: (line) => void lines.push(line) })));
  return lines.map((line) => JSON.parse(line));
}

test("removes used secrets in any encoding from a log line, which is still JSON", () => {
  recentSecrets.remember("PLANTED", VALUE);
  const [line] = logged((log) =>
    log.error(
      { err: new Error(`refused: ${VALUE}`), url: `https://x/?k=${encodeURIComponent(VALUE)}` },
      JSON.stringify({ key: VALUE, basic: Buffer.from(`u:${VALUE}`).toString("base64") }),
    ),
  );
  expect(line).toMatchObject({
    level: 50,
    err: { message: "refused: [secret PLANTED]" },
    url: "https://x/?k=[secret PLANTED]",
    msg: expect.stringMatching(
      /^\{"key":"\[secret PLANTED\]","basic":".{0,8}\[secret PLANTED\].{0,4}"\}$/,
    ),
  });
  expect(line?.["err"].stack).toContain("[secret PLANTED]");
});

test("a secret can't damage the log: fields, numbers and other lines stay unchanged", () => {
  for (const value of ["level", "time", "1234567", '":30,"', "nabcd"]) {
    recentSecrets.remember("ODD", value);
  }
  const [line, other] = logged((log) => {
    log.info({ requestId: "r", n: 1_234_567, text: "line\nabcd" }, "on level 3");
    log.info("plain");
  });
  expect(line).toMatchObject({
    level: 30,
    time: expect.any(Number),
    requestId: "r",
    n: 1_234_567,
    text: "line\nabcd",
    msg: "on [secret ODD] 3",
  });
  expect(other).toEqual({ level: 30, time: expect.any(Number), msg: "plain" });
});

test("scrubs a line that is not JSON as text", () => {
  recentSecrets.remember("PLAIN", "opensesame");
  expect(recentSecrets.scrubLine("say opensesame\n")).toBe("say [secret PLAIN]\n");
  expect(recentSecrets.scrub("say opensesame")).toBe("say [secret PLAIN]");
});

test("remembers the latest secrets up to its limit", () => {
  recentSecrets.remember("KEPT", "the value in use");
  for (let n = 0; n < 5_000; n += 1) {
    recentSecrets.remember("OTHER", `value number ${n}`);
    if (n % 100 === 0) recentSecrets.remember("KEPT", "the value in use");
  }
  expect(recentSecrets.scrub("value number 0, value number 4999")).toBe(
    "value number 0, [secret OTHER]",
  );
  expect(recentSecrets.scrub("the value in use")).toBe("[secret KEPT]");
  for (let n = 0; n < 20; n += 1) recentSecrets.remember("LARGE", `${n}${"ä".repeat(60_000)}`);
  expect(recentSecrets.scrub("the value in use")).toBe("the value in use");
});
