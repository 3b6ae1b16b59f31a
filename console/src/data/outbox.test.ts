import { expect, test } from "vitest";
import { Outbox } from "./outbox.ts";

const isLost = (error: unknown): boolean => error instanceof TypeError;

test("writes wait while offline and keep their order, and one without a response is sent again before the next", async () => {
  const network = { onLine: false };
  const events = new EventTarget();
  const outbox = new Outbox(network, events);
  const sent: string[] = [];
  const write = (name: string) => outbox.send(async () => void sent.push(name), isLost);
  let attempts = 0;
  const flaky = async (): Promise<void> => {
    sent.push(`flaky ${(attempts += 1)}`);
    if (attempts > 1) return;
    network.onLine = false;
    throw new TypeError("Failed to fetch");
  };
  const first = write("first");
  const second = outbox.send(flaky, isLost);
  const refused = outbox.send(() => Promise.reject(new Error("No.")), isLost);
  const last = write("last");
  expect(outbox.size).toBe(4);
  network.onLine = true;
  events.dispatchEvent(new Event("online"));
  await first;
  await expect.poll(() => sent).toEqual(["first", "flaky 1"]);
  network.onLine = true;
  events.dispatchEvent(new Event("online"));
  await expect(refused).rejects.toThrow("No.");
  await Promise.all([second, last]);
  expect(sent).toEqual(["first", "flaky 1", "flaky 2", "last"]);
  expect(outbox.size).toBe(0);
  await write("at once");
  expect(sent.at(-1)).toBe("at once");
});

test("if the server is unreachable while the browser is online, the error is reported at once", async () => {
  const outbox = new Outbox({ onLine: true }, new EventTarget());
  await expect(outbox.send(() => Promise.reject(new TypeError()), isLost)).rejects.toThrow();
  expect(outbox.size).toBe(0);
});
