import { useState } from "react";
import { ApiError, call, type Input, type OperationId } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import type { FieldError } from "../../form/index.ts";
import type { Kind } from "../ticket-kind.ts";
import { findGaps, type TicketDraft, toBody } from "./draft.ts";

const CREATE = {
  incident: "incidents.create",
  request: "requests.submit",
  problem: "problems.create",
  change: "changes.create",
} as const satisfies Readonly<Record<Kind, OperationId>>;

/** Raises a draft; what the server refuses is said at its field. */
export function useRaise(kind: Kind, draft: TicketDraft, onRaised: (number: string) => void) {
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<unknown>();
  const errors = refused instanceof ApiError ? (refused.errors ?? []) : [];
  const gaps = findGaps(kind, draft);
  const send = async (): Promise<void> => {
    setTried(true);
    if (Object.keys(gaps).length > 0 || isBusy) return;
    setBusy(true);
    try {
      const input = { body: toBody(kind, draft) } as unknown as Input<(typeof CREATE)[Kind]>;
      const { data } = await call(CREATE[kind], input);
      onRaised(data.number);
    } catch (error) {
      setRefused(error);
      setBusy(false);
    }
  };
  const below = (path: string): readonly FieldError[] =>
    errors
      .filter((error) => error.path.startsWith(`${path}/`))
      .map((error) => ({ ...error, path: error.path.slice(path.length) }));
  return {
    submit: () => void send(),
    isBusy,
    error: refused === undefined ? undefined : describeRefusal(refused),
    errorOf: (field: string) =>
      (isTried ? gaps[field] : undefined) ??
      errors.find(({ path }) => path === `/${field}`)?.message,
    ownErrors: [...below("/fields"), ...below("/values")],
  };
}
