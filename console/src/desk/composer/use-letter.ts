import { useEffect, useMemo, useRef, useState } from "react";
import { call } from "../../data/api.ts";
import { useMe } from "../../data/people.ts";
import { attempt, useWork } from "../../data/use-command.ts";
import { notify } from "../../ui/toast.tsx";
import { saidSince, type StreamEntry, toStream } from "../stream/moments.ts";
import { refreshTickets } from "../ticket-cache.ts";
import { COMMENT, type Moment, type Ticket, timelineOf } from "../ticket-kind.ts";
import { sendTo } from "../ticket/use-acts.ts";
import type { Letter, SendWay } from "./composer.tsx";
import { dropDraft, keepDraft, readDraft } from "./draft.ts";
import { useFiles } from "./use-files.ts";

const NEWEST = 20;
const KEEP_AFTER_MS = 250;
const EMPTY: Letter = { text: "", isInternal: false };

export interface LetterOptions {
  readonly stream: readonly StreamEntry[];
  /** True if the activity stream is visible. */
  readonly isRead: boolean;
  readonly onNext: () => void;
}

/** Edits the user's message. The draft is saved, and sending warns about unread replies. */
export function useLetter(ticket: Ticket, { stream, isRead, onNext }: LetterOptions) {
  const meId = useMe()?.user.id;
  const { id, kind } = ticket;
  const draft = useDraft(id, meId, isRead, stream.at(-1)?.id ?? "");
  const { letter, seenId, isEmpty } = draft;
  const files = useFiles(ticket);
  /** The newest message at the time of the warning: sending again after the warning is allowed. */
  const [warnedId, setWarnedId] = useState<string>();
  const { run, isBusy } = useWork(COMMENT[kind]);
  const unseen = useMemo(
    () => (isEmpty || seenId === undefined ? [] : saidSince(stream, seenId, meId)),
    [stream, seenId, meId, isEmpty],
  );

  const sendAll = async (way: SendWay): Promise<void> => {
    const overtakenBy = await findOvertaking(ticket, warnedId ?? seenId ?? "", meId);
    setWarnedId(overtakenBy);
    if (overtakenBy !== undefined) return refreshTickets(kind);
    await files.attachAll(letter.isInternal);
    if (!isEmpty) {
      await sendTo(COMMENT[kind], id, { body: letter.text, internal: letter.isInternal });
    }
    draft.clear();
    if (way === "resolve" && kind === "incident" && !letter.isInternal && !isEmpty) {
      await resolve(ticket, letter.text);
      onNext();
    }
    return refreshTickets(kind);
  };
  const send = (way: SendWay): void => {
    if ((isEmpty && files.files.length === 0) || isBusy || files.isSending) return;
    void run(() => sendAll(way));
  };
  const isWarned = warnedId !== undefined;
  return {
    letter,
    change: draft.setLetter,
    send,
    unseen,
    isWarned,
    isBusy,
    files,
    isWriting: !isEmpty,
  };
}

/** Checks the event log: a very recent reply may not be on the screen yet. */
async function findOvertaking(
  { kind, number, callerId }: Ticket,
  sinceId: string,
  meId: string | undefined,
): Promise<string | undefined> {
  const input = { params: { id: number }, query: { limit: NEWEST } };
  const { data } = await call(timelineOf(kind), input);
  const fresh = toStream(data as readonly Moment[], () => undefined, callerId);
  return saidSince(fresh, sinceId, meId).at(-1)?.id;
}

async function resolve({ id, kind, number }: Ticket, resolution: string): Promise<void> {
  await sendTo("incidents.resolve", id, { resolution });
  const undo = async (): Promise<void> => {
    await sendTo("incidents.reopen", id, { reason: "Resolved by mistake" });
    refreshTickets(kind);
  };
  notify(`Reply sent, ${number} resolved`, () => void attempt(undo));
}

/** The stored draft, with the newest message that the author had seen when they started. */
function useDraft(ticketId: string, meId: string | undefined, isRead: boolean, lastId: string) {
  const [letter, setLetter] = useState<Letter>(EMPTY);
  const [seenId, setSeenId] = useState<string>();
  const isEmpty = letter.text.trim() === "";
  const isLoaded = useRef(false);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    if (meId === undefined || isLoaded.current) return;
    isLoaded.current = true;
    setReady(true);
    const draft = readDraft(meId, ticketId);
    if (!draft) return;
    setLetter({ text: draft.text, isInternal: draft.isInternal });
    setSeenId(draft.seenId);
  }, [meId, ticketId]);
  // Without a draft, everything on the screen counts as seen. A stored draft records what was seen.
  useEffect(() => {
    if (isReady && isEmpty && isRead) setSeenId(lastId);
  }, [isReady, isEmpty, isRead, lastId]);
  const newest = useRef({ letter, seenId });
  newest.current = { letter, seenId };
  useEffect(() => {
    if (meId === undefined || !isLoaded.current) return undefined;
    const keep = (): void => {
      const { letter: now, seenId: seen } = newest.current;
      keepDraft(meId, ticketId, { ...now, seenId: seen });
    };
    const timer = setTimeout(keep, KEEP_AFTER_MS);
    return () => {
      clearTimeout(timer);
      keep();
    };
  }, [meId, ticketId, letter]);
  const clear = (): void => {
    const next = { ...EMPTY, isInternal: newest.current.letter.isInternal };
    newest.current = { letter: next, seenId };
    setLetter(next);
    if (meId !== undefined) dropDraft(meId, ticketId);
  };
  return { letter, setLetter, seenId, isEmpty, clear };
}
