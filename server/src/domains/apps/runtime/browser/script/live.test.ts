import { afterEach, expect, test, vi } from "vitest";
import { followChanges } from "./live.ts";

/** EventSource as specified: a response that is not a stream closes it permanently. */
class Source extends EventTarget {
  static readonly CLOSED = 2;
  static readonly opened: Source[] = [];
  readyState = 0;

  constructor() {
    super();
    Source.opened.push(this);
  }

  close(): void {
    this.readyState = Source.CLOSED;
  }

  become(readyState: number, type: string): void {
    this.readyState = readyState;
    this.dispatchEvent(new Event(type));
  }
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a page reconnects after a rejected stream, and reloads on changes", () => {
  vi.useFakeTimers();
  const page = Object.assign(new EventTarget(), { hidden: false });
  vi.stubGlobal("document", page);
  vi.stubGlobal("EventSource", Source);
  const read = vi.fn<() => void>();
  followChanges({ live: "/_live", firstLive: "/_live?after=1" }, read);
  const newest = () => Source.opened.at(-1) ?? expect.unreachable();
  const settle = () => vi.advanceTimersByTime(1_000);
  const show = (hidden: boolean) => {
    page.hidden = hidden;
    page.dispatchEvent(new Event("visibilitychange"));
    settle();
  };

  newest().become(1, "open");
  newest().become(0, "error");
  settle();
  // The browser reconnects by itself, and the stream reports missed changes.
  expect([Source.opened.length, read.mock.calls.length]).toEqual([1, 0]);
  newest().become(2, "error");
  vi.advanceTimersByTime(60_000);
  expect([Source.opened.length, read.mock.calls.length]).toEqual([2, 0]);
  newest().become(2, "error");
  vi.advanceTimersByTime(60_000);
  newest().become(1, "open");
  settle();
  expect([Source.opened.length, read.mock.calls.length]).toEqual([3, 1]);

  // A hidden page does not follow or reconnect; when shown, it reloads, and again on changes.
  newest().become(2, "error");
  show(true);
  vi.advanceTimersByTime(600_000);
  expect([Source.opened.length, read.mock.calls.length]).toEqual([3, 1]);
  show(false);
  expect([Source.opened.length, read.mock.calls.length]).toEqual([4, 2]);
  newest().become(1, "open");
  settle();
  expect([Source.opened.length, read.mock.calls.length]).toEqual([4, 3]);
});
