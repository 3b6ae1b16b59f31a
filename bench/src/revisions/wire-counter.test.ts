import { expect, test } from "vitest";
import { WireCounter } from "./wire-counter.ts";

const STARTUP = Buffer.from([0, 0, 0, 9, 0, 3, 0, 0, 0]);

function message(type: string, body = ""): Buffer {
  const bytes = Buffer.alloc(5 + body.length);
  bytes.write(type + "\0\0\0\0" + body, "latin1");
  bytes.writeInt32BE(4 + body.length, 1);
  return bytes;
}

test("counts executions and queries as statements for any chunk boundaries", () => {
  const sent = Buffer.concat([
    STARTUP,
    message("Q", "begin EEE\0"),
    message("P", "x\0select\0\0\0"),
    message("B", "EQ"),
    message("E", "\0\0\0\0\0"),
    message("S"),
    message("X"),
  ]);
  for (let size = 8; size <= sent.length; size += 1) {
    const counter = new WireCounter();
    const connection = {};
    for (let at = 0; at < sent.length; at += size) {
      counter.see(connection, sent.subarray(at, at + size), 0);
    }
    expect(counter.counts).toEqual({ statements: 2, roundTrips: 0 });
  }
});

test("a round trip begins when a connection sends after receiving", () => {
  const counter = new WireCounter();
  const [first, second] = [{}, {}];
  counter.see(first, STARTUP, 0);
  counter.see(second, STARTUP, 0);
  counter.see(first, message("Q"), 10);
  counter.see(first, message("Q"), 10);
  counter.see(second, message("Q"), 5);
  counter.see(first, message("Q"), 30);
  expect(counter.counts).toEqual({ statements: 4, roundTrips: 3 });
});

test("ignores connections of other protocols", () => {
  const counter = new WireCounter();
  const connection = {};
  counter.see(connection, Buffer.from("POST / HTTP/1.1\r\n"), 0);
  counter.see(connection, message("Q"), 10);
  expect(counter.counts).toEqual({ statements: 0, roundTrips: 0 });
});
