import Type from "typebox";
import { expect, test } from "vitest";
import { type CallGate, CallGatePoint } from "../../access/call-gate.ts";
import type { Caller } from "../../access/caller.ts";
import { permission } from "../../access/permission.ts";
import type { Operation, Platform } from "../../contract.ts";
import { contribute } from "../../extension-point.ts";
import { CAUSATION_DEPTH_MAX } from "../../log/event.ts";
import { object } from "../../schema/schema.ts";
import { Failure, failure } from "../failure.ts";
import type { Invocation, InvocationResult } from "../invocation.ts";
import { command } from "../operation.ts";
import { perform } from "../perform.ts";
import { noContent } from "../response.ts";
import { type CallLayer, composeLayers } from "./call-layer.ts";

const done: InvocationResult = { status: 200, headers: {}, body: undefined };
const platform = {} as Platform;
const op = {} as Operation;
const call = {} as Invocation;

test("the first layer is the outermost, and a layer that responds itself ends the call", async () => {
  const seen: string[] = [];
  const named =
    (name: string): CallLayer =>
    (next) =>
    async (...args) => {
      expect(args).toEqual([platform, op, call]);
      seen.push(`${name} begins`);
      const result = await next(...args);
      seen.push(`${name} ends`);
      return result;
    };
  const answering: CallLayer = () => async () => done;
  const innermost = async () => {
    seen.push("handler");
    return done;
  };
  const layers = [named("first"), named("second")];
  expect(await composeLayers(layers, innermost)(platform, op, call)).toBe(done);
  expect(seen.splice(0)).toEqual([
    "first begins",
    "second begins",
    "handler",
    "second ends",
    "first ends",
  ]);
  await composeLayers([named("first"), answering, named("second")], innermost)(platform, op, call);
  expect(seen).toEqual(["first begins", "first ends"]);
});

test("a call passes permission, chain depth, gate and validation in this order, before any statement", async () => {
  const Write = permission("things:write", "Keep things", []);
  const Closed = failure("gate_closed", 409, "Somebody must agree first.");
  const gate: CallGate = {
    concerns: (_, { credential }) => credential?.kind === "api_token",
    assertOpen: async () => {
      throw new Failure(Closed);
    },
  };
  const create = command({
    id: "things.create",
    route: "POST /api/v1/things",
    summary: "Create a thing",
    permission: Write,
    body: object({ name: Type.String() }),
    response: noContent(),
    emits: [],
    ephemeral: true,
    run: async () => undefined,
  });
  // Without a database, so that any access to it would fail.
  const contributions = [contribute(CallGatePoint, gate)];
  const withoutDatabase = { contributions } as unknown as Platform;
  const codeOf = async (caller: object, isDryRun = false): Promise<string | undefined> => {
    const result = perform(withoutDatabase, create, {
      caller: { permissions: new Set(), cause: { depth: 0 }, ...caller } as unknown as Caller,
      input: { params: {}, query: {}, body: { name: 1 } },
      instance: "/api/v1/things",
      isDryRun,
    });
    return result.then(
      () => undefined,
      (error: Failure) => error.type.code,
    );
  };
  const credential = { kind: "api_token" };
  const cause = { depth: CAUSATION_DEPTH_MAX + 1 };
  const permissions = new Set([Write.name]);
  expect(await codeOf({ credential, cause })).toBe("forbidden");
  expect(await codeOf({ credential, cause, permissions })).toBe("chain_too_deep");
  expect(await codeOf({ credential, cause, permissions }, true)).toBe("chain_too_deep");
  expect(await codeOf({ credential, permissions })).toBe("gate_closed");
  expect(await codeOf({ credential, permissions }, true)).toBe("invalid");
  expect(await codeOf({ permissions })).toBe("invalid");
});
