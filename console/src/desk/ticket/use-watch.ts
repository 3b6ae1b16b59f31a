import { call } from "../../data/api.ts";
import { useMe } from "../../data/people.ts";
import { perform } from "../../data/use-command.ts";
import { type Ticket, UNWATCH, useWatchers, WATCH } from "../ticket-kind.ts";

export interface Watch {
  /** True if the current user watches the ticket. */
  readonly isOn: boolean;
  readonly toggle: () => void;
}

/** Starts and stops watching a ticket. */
export function useWatch({ kind, id, number }: Pick<Ticket, "kind" | "id" | "number">): Watch {
  const meId = useMe()?.user.id ?? "";
  const watchers = useWatchers(kind, number);
  const isOn = (watchers.data?.data ?? []).some(({ userId }) => userId === meId);
  return {
    isOn,
    toggle: () =>
      setWatcher({ kind, id }, meId, {
        isWatching: !isOn,
        isMe: true,
        said: isOn ? `You stopped watching ${number}` : `You are watching ${number}`,
      }),
  };
}

interface WatcherChange {
  readonly isWatching: boolean;
  /** Users with read access can add themselves, but not other people. */
  readonly isMe?: boolean;
  readonly said: string;
}

/** Adds or removes a watcher. */
export function setWatcher(
  ticket: Pick<Ticket, "kind" | "id">,
  userId: string,
  { isWatching, isMe = false, said }: WatcherChange,
): void {
  const { kind, id } = ticket;
  const added = { params: { id }, ...(!isMe && { body: { userId } }) };
  const removed = { params: { id, userId } };
  void (isWatching
    ? perform(WATCH[kind], added, { said, undo: () => call(UNWATCH[kind], removed) })
    : perform(UNWATCH[kind], removed, { said, undo: () => call(WATCH[kind], added) }));
}
