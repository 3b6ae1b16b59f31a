import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { call } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useMe } from "../../data/people.ts";
import { notify } from "../../ui/toast.tsx";
import { saidSince, type StreamEntry, toStream } from "../stream/moments.ts";
import { refreshTickets } from "../ticket-cache.ts";
import { COMMENT, type Moment, type Ticket, timelineOf } from "../ticket-kind.ts";
import { sendTo } from "../ticket/use-acts.ts";
import type { Letter, SendWay } from "./composer.tsx";
import { dropDraft, keepDraft, readDraft } from "./draft.ts";

const NEWEST = 20;
const KEEP_AFTER_MS = 250;
const EMPTY: Letter = { text: "", isInternal: false };

/** What somebody writes on a ticket: kept as a draft, and never sent over an answer they have not seen. */
export function useLetter(
  ticket: Ticket,
  stream: readonly StreamEntry[],
  isRead: boolean,
  onNext: () => void,
) {
  const meId = useMe()?.user.id;
  const { id, kind, callerId } = ticket;
  const [letter, setLetter] = useState<Letter>(EMPTY);
  const [seenId, setSeenId] = useState<string>();
  /** The newest word at the moment of the warning: whoever presses again has been told of it. */
  const [warnedId, setWarnedId] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const lastId = stream.at(-1)?.id;
  const isEmpty = letter.text.trim() === "";

  const isLoaded = useRef(false);
  useEffect(() => {
    if (meId === undefined || isLoaded.current) return;
    isLoaded.current = true;
    const draft = readDraft(meId, id);
    if (!draft) return;
    setLetter({ text: draft.text, isInternal: draft.isInternal });
    setSeenId(draft.seenId);
  }, [meId, id]);

  // Whoever has not begun has seen all that is on the screen.
  useEffect(() => {
    if (isEmpty && isRead) setSeenId(lastId ?? "");
  }, [isEmpty, isRead, lastId]);

  const newest = useRef({ letter, seenId });
  newest.current = { letter, seenId };
  useEffect(() => {
    if (meId === undefined || !isLoaded.current) return undefined;
    const keep = (): void =>
      keepDraft(meId, id, { ...newest.current.letter, seenId: newest.current.seenId });
    const timer = setTimeout(keep, KEEP_AFTER_MS);
    return () => {
      clearTimeout(timer);
      keep();
    };
  }, [meId, id, letter]);

  const unseen = useMemo(
    () => (isEmpty || seenId === undefined ? [] : saidSince(stream, seenId, meId)),
    [stream, seenId, meId, isEmpty],
  );
  const change = useCallback((next: Letter) => setLetter(next), []);

  /** Asks the log itself: an answer that came a moment ago may not be on the screen yet. */
  const findOvertaking = async (): Promise<string | undefined> => {
    const input = { params: { id: ticket.number }, query: { limit: NEWEST } };
    const { data } = await call(timelineOf(kind), input);
    const fresh = toStream(data as readonly Moment[], () => undefined, callerId);
    return saidSince(fresh, warnedId ?? seenId ?? "", meId).at(-1)?.id;
  };

  const send = async (way: SendWay): Promise<void> => {
    if (isEmpty || isBusy) return;
    setBusy(true);
    const sent = letter;
    const lastSeen = seenId;
    try {
      const overtakenBy = await findOvertaking();
      setWarnedId(overtakenBy);
      if (overtakenBy !== undefined) return refreshTickets(kind);
      await sendTo(COMMENT[kind], id, { body: sent.text, internal: sent.isInternal });
      setLetter({ ...EMPTY, isInternal: sent.isInternal });
      if (meId !== undefined) dropDraft(meId, id);
      if (way === "resolve" && kind === "incident" && !sent.isInternal) {
        await sendTo("incidents.resolve", id, { resolution: sent.text });
        const undo = async (): Promise<void> => {
          await sendTo("incidents.reopen", id, { reason: "Resolved by mistake" });
          refreshTickets(kind);
        };
        notify(`${ticket.number} is answered and resolved`, () => void undo().catch(say));
        onNext();
      }
      refreshTickets(kind);
    } catch (error) {
      setSeenId(lastSeen);
      say(error);
    } finally {
      setBusy(false);
    }
  };
  return {
    letter,
    change,
    send,
    unseen,
    isWarned: warnedId !== undefined,
    isBusy,
    isWriting: !isEmpty,
  };
}

const say = (error: unknown): void => notify(describeRefusal(error));
