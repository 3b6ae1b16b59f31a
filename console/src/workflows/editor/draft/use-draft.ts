/**
 * The draft of a workflow: the server's version with the user's edits, kept in the browser until it is saved. A
 * save includes the version it is based on, so that it never overwrites another user's; edits are rebased onto
 * newer versions.
 */
import { useEffect, useRef, useState } from "react";
import { ApiError, cache, etagOf, query, type Schemas, useOp } from "../../../data/api.ts";
import { describeRefusal, isConflict } from "../../../data/change.ts";
import { useOutcome } from "../../../data/form/use-outcome.ts";
import { useMe } from "../../../data/people.ts";
import { useStableHandlers } from "../../../ui/behaviour/stable.ts";
import { notify, notifyRefusal } from "../../../ui/toast.tsx";
import type { Definition } from "../../graph/graph.ts";
import {
  addEdit,
  beginHistory,
  draftOf,
  editedSteps,
  type History,
  isDirty,
  markSaved,
  rebaseHistory,
  redoLabel,
  stepHistory,
  trimHistory,
  undoLabel,
} from "../../graph/history.ts";
import { describeProblem } from "../../graph/problem-words.ts";
import { locateProblem } from "../../graph/problems.ts";
import { isEqual, mergeDefinitions, type Side } from "../../graph/merge.ts";
import { holdDraft } from "./draft-roll.ts";
import {
  dropDraft,
  keepDraft,
  type KeptDraft,
  nameDraft,
  partWithDraft,
  takeDraft,
  takeParting,
} from "./draft-store.ts";
import { summariseEdits, toChange, toDefinition } from "./definition.ts";

/** A version that another user saved while this draft has changes. */
export interface Theirs {
  readonly definition: Definition;
  readonly etag: string | undefined;
}

export interface NewEdit {
  readonly label: string;
  readonly after: Definition;
  readonly chosen: readonly string[];
  readonly from?: readonly string[];
  readonly field?: string | undefined;
}

export type SaveOutcome = "saved" | "conflict" | "refused";

const KEEP_AFTER_MS = 300;
const KEPT_EDITS = 40;

export function useDraft(id: string) {
  const input = { params: { id } };
  const { data, error, refetch } = useOp("workflows.get", input);
  const [history, setHistory] = useState<History>();
  const [theirs, setTheirs] = useState<Theirs>();
  const newest = useRef<History>(undefined);
  const updatedAt = useRef("");
  const set = (next: History): void => {
    newest.current = next;
    setHistory(next);
  };
  const receive = useReceiver({ set, newest, updatedAt, setTheirs });
  const userId = useMe()?.user.id;
  useEffect(() => {
    if (data && userId !== undefined) {
      void receive(data.data, etagOf("workflows.get", { params: { id } }), nameDraft(userId, id));
    }
  }, [data, id, userId, receive]);
  useKeptDraft(history, userId === undefined ? undefined : nameDraft(userId, id));
  const { save, isSaving } = useSave(id, { set, newest, updatedAt });
  const commands = useStableHandlers({
    save: () => save(),
    act: (edit: NewEdit): void => {
      if (newest.current) set(addEdit(newest.current, { ...edit, atMs: performance.now() }));
    },
    /** Returns the steps that an undo or redo touched; undefined if there was nothing to undo. */
    undo: () => walkHistory({ set, newest, updatedAt }, -1),
    redo: () => walkHistory({ set, newest, updatedAt }, 1),
    merge: (choices: ReadonlyMap<string, Side>): void => {
      if (newest.current && theirs) set(rebase(newest.current, theirs, choices));
      setTheirs(undefined);
    },
    discard: (): void => {
      const { current } = newest;
      if (!current) return;
      const after = current.base;
      set(addEdit(current, { label: "Discard changes", after, chosen: [], atMs: 0 }));
    },
  });
  return {
    workflow: data?.data,
    error,
    refetch,
    history,
    draft: history && draftOf(history),
    isDirty: history !== undefined && isDirty(history),
    isSaving,
    theirs,
    undoLabel: history && undoLabel(history),
    redoLabel: history && redoLabel(history),
    ...commands,
  };
}

export type Draft = ReturnType<typeof useDraft>;

interface DraftParts {
  readonly set: (history: History) => void;
  readonly newest: React.RefObject<History | undefined>;
  readonly updatedAt: React.RefObject<string>;
}

/** Saves the draft with the version that it is based on. It is a conflict only if the definition differs. */
function useSave(id: string, { set, newest, updatedAt }: DraftParts) {
  const update = useOutcome("workflows.update");
  const read = async (): Promise<void> => {
    const { queryKey } = query("workflows.get", { params: { id } });
    await cache.invalidateQueries({ queryKey });
  };
  const save = async (isSecond = false): Promise<SaveOutcome> => {
    const { current } = newest;
    if (!current || !isDirty(current)) return "saved";
    const sent = draftOf(current);
    const input = { params: { id }, body: toChange(sent, summariseEdits(current)) };
    const { reply, error, etag } = await update.run(input, current.etag);
    if (reply) {
      updatedAt.current = reply.data.updatedAt;
      // Edits made during the request are still unsaved.
      if (newest.current) set(markSaved(newest.current, sent, etag));
      void read();
      return "saved";
    }
    if (!isConflict(error)) {
      tellRefusal(sent, error);
      return "refused";
    }
    // A deployment changes the version but not the definition, so the save is retried.
    await read();
    const isSame = newest.current?.etag !== current.etag;
    return isSame && !isSecond ? save(true) : "conflict";
  };
  return { save, isSaving: update.isBusy };
}

/** Reports the steps and fields that prevent saving. */
function tellRefusal(definition: Definition, problem: unknown): void {
  const errors = problem instanceof ApiError ? problem.errors : [];
  if (errors.length === 0) return notify(describeRefusal(problem));
  return notifyRefusal({
    text: "Not saved. Fix these problems first:",
    reasons: errors.map((error) => describeProblem(definition, locateProblem(definition, error))),
  });
}

function walkHistory({ set, newest }: DraftParts, by: 1 | -1): readonly string[] | undefined {
  const { current } = newest;
  if (!current) return undefined;
  const next = stepHistory(current, by);
  const label = by === -1 ? undoLabel(current) : redoLabel(current);
  if (next === current || label === undefined) return undefined;
  set(next);
  notify(`${by === -1 ? "Undone" : "Redone"}: ${label}`);
  return editedSteps(current, by);
}

/** Handles a version from the server: as the first definition, under a kept draft, or as another user's save. */
function useReceiver(
  parts: DraftParts & { readonly setTheirs: (theirs: Theirs | undefined) => void },
) {
  const { set, newest, updatedAt, setTheirs } = parts;
  const { receive } = useStableHandlers({
    receive: async (workflow: Schemas["Workflow"], etag: string | undefined, draftName: string) => {
      const definition = toDefinition(workflow);
      if (!newest.current) {
        const { kept, isElsewhere } = await takeDraft(draftName);
        if (newest.current) return;
        updatedAt.current = workflow.updatedAt;
        set(kept?.history ?? beginHistory(definition, etag));
        if (kept) notify("Your unsaved changes were restored");
        if (isElsewhere) notify("You have unsaved changes of this workflow in another tab");
      }
      const { current } = newest;
      if (!current || current.etag === etag || workflow.updatedAt < updatedAt.current) return;
      updatedAt.current = workflow.updatedAt;
      if (isEqual(definition, current.base)) set({ ...current, etag });
      else if (isDirty(current)) setTheirs({ definition, etag });
      else set(rebase(current, { definition, etag }));
    },
  });
  return receive;
}

function rebase(
  history: History,
  theirs: Theirs,
  choices: ReadonlyMap<string, Side> = new Map(),
): History {
  const { base } = history;
  return rebaseHistory(
    history,
    theirs,
    (mine) => mergeDefinitions({ base, mine, theirs: theirs.definition }, choices).definition,
  );
}

/** Keeps the draft shortly after each edit, and immediately when the user leaves the screen. */
function useKeptDraft(history: History | undefined, name: string | undefined): void {
  const unkept = useRef<() => void>(undefined);
  const parting = useRef<() => void>(undefined);
  useEffect(() => (name === undefined ? undefined : holdDraft(name)), [name]);
  useEffect(() => {
    if (!history || name === undefined) return undefined;
    const toKeep = (): KeptDraft | null =>
      isDirty(history)
        ? { history: trimHistory(history, KEPT_EDITS), keptAt: new Date().toISOString() }
        : null;
    const keep = (): void => {
      unkept.current = undefined;
      const draft = toKeep();
      void (draft ? keepDraft(name, draft) : dropDraft(name));
    };
    unkept.current = keep;
    parting.current = () => partWithDraft(name, toKeep());
    const timer = setTimeout(keep, KEEP_AFTER_MS);
    return () => clearTimeout(timer);
  }, [history, name]);
  useEffect(() => {
    const flush = (): void => unkept.current?.();
    const part = (): void => {
      parting.current?.();
      flush();
    };
    const comeBack = ({ persisted }: PageTransitionEvent): void => {
      if (persisted && name !== undefined) takeParting(name);
    };
    addEventListener("pagehide", part);
    addEventListener("pageshow", comeBack);
    return () => {
      removeEventListener("pagehide", part);
      removeEventListener("pageshow", comeBack);
      flush();
    };
  }, [name]);
}
