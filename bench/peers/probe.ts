import { setTimeout as pause } from "node:timers/promises";
import type { Target } from "../src/load.ts";

const READY_MAX_MS = 60_000;
const LOOK_MS = 100;

/** The expected response of every workflow to the orders of the load. */
interface Verdict {
  readonly number?: unknown;
  readonly accepted?: unknown;
}

/** Sends one order and checks the response, because a rate is meaningless if the server does something else. */
export async function assertAnswers(target: Target): Promise<void> {
  const { status, text } = await once(target);
  if (status !== 200) throw new Error(`An order was answered with ${status}: ${text}`);
  const { number, accepted } = JSON.parse(text) as Verdict;
  if (typeof number !== "string" || !number.startsWith("ORD-") || accepted !== true) {
    throw new Error(`That is no answer to an order: ${text}`);
  }
}

/** Like `assertAnswers`, for a server whose routes appear after it reports ready. */
export async function untilAnswers(target: Target): Promise<void> {
  const limit = performance.now() + READY_MAX_MS;
  while ((await once(target)).status === 404 && performance.now() < limit) await pause(LOOK_MS);
  await assertAnswers(target);
}

/** Sends the next request of the load with `fetch`. */
async function once({ port, next }: Target): Promise<{ status: number; text: string }> {
  const [head = "", body = ""] = next().split("\r\n\r\n");
  const [request = "", ...lines] = head.split("\r\n");
  const [method = "", path = ""] = request.split(" ");
  // `fetch` sets these two headers itself.
  const given = lines.filter((line) => !/^(host|content-length):/.test(line));
  const headers = given.map((line): [string, string] => {
    const at = line.indexOf(": ");
    return [line.slice(0, at), line.slice(at + 2)];
  });
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers,
    ...(body !== "" && { body }),
  });
  return { status: reply.status, text: await reply.text() };
}
