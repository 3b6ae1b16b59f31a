import { useState } from "react";
import { ApiError, call, type Input, type OperationId } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import type { FieldError } from "../../form/index.ts";
import type { Kind } from "../ticket-kind.ts";
import { notifyError } from "../../ui/toast.tsx";
import { toContactBody } from "./new-contact.ts";
import { findGaps, type TicketDraft, toBody } from "./draft.ts";

export const CREATE = {
  incident: "incidents.create",
  request: "requests.submit",
  problem: "problems.create",
  change: "changes.create",
} as const satisfies Readonly<Record<Kind, OperationId>>;

interface RaiseHandlers {
  readonly onRaised: (number: string) => void;
  /** Called with the id of the contact that was created as the caller. */
  readonly onCaller: (id: string) => void;
}

const ATTACH = {
  incident: "incidents.add_attachment",
  request: "requests.add_attachment",
  problem: "problems.add_attachment",
  change: "changes.add_attachment",
} as const satisfies Readonly<Record<Kind, OperationId>>;

/** Attaches uploaded files; a failed attachment does not affect the created ticket. */
async function attachFiles(kind: Kind, id: string, fileIds: readonly string[]): Promise<void> {
  const sent = await Promise.allSettled(
    fileIds.map((fileId) => call(ATTACH[kind], { params: { id }, body: { fileId } })),
  );
  const failed = sent.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") notifyError(failed.reason);
}

/** Creates the ticket and shows errors at their fields. */
export function useRaise(kind: Kind, draft: TicketDraft, { onRaised, onCaller }: RaiseHandlers) {
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
      const callerId = await createCaller();
      const complete = callerId === undefined ? draft : { ...draft, callerId };
      const input = { body: toBody(kind, complete) } as unknown as Input<(typeof CREATE)[Kind]>;
      const { data } = await call(CREATE[kind], input);
      await attachFiles(kind, data.id, draft.fileIds);
      onRaised(data.number);
    } catch (error) {
      setRefused(error);
      setBusy(false);
    }
  };
  /** A second attempt does not create the contact again. */
  const createCaller = async (): Promise<string | undefined> => {
    if (kind !== "incident" || !draft.contact) return undefined;
    const { data } = await call("contacts.create", { body: toContactBody(draft.contact) });
    onCaller(data.id);
    return data.id;
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
