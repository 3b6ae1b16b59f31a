import { expect, test, vi } from "vitest";
import type { UpstreamConnection } from "./connection.ts";
import { startDeadline } from "./deadline.ts";
import { type Session, type SessionKind, withSession } from "./session-pool.ts";

const services = { shutdown: new AbortController().signal };
const config = { maxConnections: 1 };

/** The part of a connection that a pool uses. */
function connectionOf(id: string, timeoutMs: number): UpstreamConnection<typeof config> {
  const connector = { id, revision: 1 };
  const auth = { kind: "none" };
  return {
    platform: services,
    connector,
    config,
    auth,
    deadline: startDeadline(timeoutMs),
  } as never;
}

function makeSession(): Session & { isOpen: boolean } {
  const session = { isOpen: true, close: () => void (session.isOpen = false) };
  return session;
}

test("a slot offered to a caller that has given up goes to the next one", async () => {
  const kind: SessionKind<typeof config, Session> = { open: async () => makeSession() };
  const held = Promise.withResolvers<string>();
  const first = withSession(connectionOf("turns", 60_000), kind, () => held.promise);
  const impatient = withSession(connectionOf("turns", 1), kind, async () => "too early");
  const patient = withSession(connectionOf("turns", 60_000), kind, async () => "its turn");
  await expect(impatient).rejects.toThrow("No complete response within 1 ms");
  held.resolve("done");
  expect([await first, await patient]).toEqual(["done", "its turn"]);
});

test("closes a session that opens too late, or cannot be reset", async () => {
  const late = makeSession();
  const opened = Promise.withResolvers<Session>();
  const slow: SessionKind<typeof config, Session> = { open: () => opened.promise };
  const call = withSession(connectionOf("late", 1), slow, async () => "never");
  await expect(call).rejects.toThrow("No complete response within 1 ms");
  opened.resolve(late);
  await vi.waitFor(() => expect(late.isOpen).toBe(false));
  vi.useFakeTimers();
  try {
    const dirty = makeSession();
    const sessions = [dirty, makeSession()];
    const kind: SessionKind<typeof config, Session> = {
      open: async () => sessions.shift() ?? makeSession(),
      clean: (session) => (session === dirty ? new Promise(() => undefined) : Promise.resolve()),
    };
    await withSession(connectionOf("dirty", 60_000), kind, async () => undefined);
    const next = withSession(connectionOf("dirty", 60_000), kind, async (session) => session);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([dirty.isOpen, (await next) === dirty]).toEqual([false, false]);
  } finally {
    vi.useRealTimers();
  }
});
