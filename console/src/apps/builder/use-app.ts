/** The draft of an app: undo history, selection and saving. */
import { useNavigate } from "@tanstack/react-router";
import {
  type Dispatch,
  type RefObject,
  type SetStateAction,
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";
import { type History, pushHistory, redoHistory, undoHistory } from "../../analytics/index.ts";
import { ApiError, call, etagOf, type Schemas } from "../../data/api.ts";
import { describeRefusal, isConflict } from "../../data/change.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { type Draft, type Edit, toDraft } from "../draft/draft.ts";

const SAVE_AFTER_MS = 1_200;
/** Edits of a field within this time form a single undo step. */
const STEP_MS = 900;

export type SaveState =
  | { readonly kind: "saved" | "waiting" | "saving" }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "conflict"; readonly theirs: Draft };

export interface AppDraft {
  readonly draft: Draft;
  readonly saved: Draft;
  readonly state: SaveState;
  /** `field` names the edited field, so that keystrokes are merged into one undo step. */
  readonly change: (draft: Draft, options?: { at?: string | undefined; field?: string }) => void;
  readonly apply: (edit: Edit | undefined) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Saves immediately; resolves to false if that failed. */
  readonly save: () => Promise<boolean>;
  /** After a conflict: continues on the other user's version with this draft. */
  readonly settle: (draft: Draft) => void;
  readonly choose: (at: string) => void;
}

type App = Schemas["App"];
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

export function useApp(app: App, mayEdit: boolean): AppDraft {
  const navigate = useNavigate();
  const [history, setHistory] = useState<History<Draft>>(() => ({
    past: [],
    now: toDraft(app),
    future: [],
  }));
  const lastField = useRef({ field: "", atMs: 0 });
  const draft = history.now;
  const newest = useRef(draft);
  newest.current = draft;
  const choose = useCallback(
    (at: string) =>
      void navigate({ to: ".", search: (old) => ({ ...old, at: at || undefined }), replace: true }),
    [navigate],
  );
  const change: AppDraft["change"] = (next, { at, field = "" } = {}) => {
    const nowMs = performance.now();
    const { field: old, atMs } = lastField.current;
    const isStep = field === "" || field !== old || nowMs - atMs > STEP_MS;
    lastField.current = { field, atMs: nowMs };
    setHistory((before) =>
      isStep ? pushHistory(before, next) : { ...before, now: next, future: [] },
    );
    if (at !== undefined) choose(at);
  };
  const { saved, setSaved, state, setState, save } = useSave(app, newest, setHistory);
  const isDirty = !isSame(draft, saved);
  const settled = useDebounced(draft, SAVE_AFTER_MS);
  // Saves only when the draft has not changed for a while; other dependencies must not trigger it.
  const saveStill = useEffectEvent((still: Draft): void => {
    if (!mayEdit || !isDirty || still !== newest.current || state.kind === "conflict") return;
    void save();
  });
  useEffect(() => saveStill(settled), [settled]);
  useLeaveWarning(isDirty);
  return {
    draft,
    saved,
    state: isDirty && state.kind === "saved" ? { kind: "waiting" } : state,
    change,
    apply: (edit) => edit && change(edit.draft, { at: edit.at }),
    undo: () => setHistory(undoHistory),
    redo: () => setHistory(redoHistory),
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    save,
    settle: (next) => {
      if (state.kind === "conflict") setSaved(state.theirs);
      setState({ kind: "saved" });
      setHistory((before) => pushHistory(before, next));
    },
    choose,
  };
}

/** Saves with an ETag, so that another user's version is not overwritten. */
function useSave(
  app: App,
  newest: RefObject<Draft>,
  setHistory: Dispatch<SetStateAction<History<Draft>>>,
) {
  const { id } = app;
  const [saved, setSaved] = useState(() => toDraft(app));
  const [state, setState] = useState<SaveState>({ kind: "saved" });
  const etag = useRef(etagOf("apps.get", { params: { id } }));
  const save = useCallback(async (): Promise<boolean> => {
    const sent = newest.current;
    setState({ kind: "saving" });
    try {
      await call(
        "apps.update",
        { params: { id }, body: toBody(sent) },
        {
          ...(etag.current !== undefined && { ifMatch: etag.current }),
          onAnswer: ({ status, headers }) => {
            if (status < 300) etag.current = headers.get("etag") ?? etag.current;
          },
        },
      ).then(({ data }) => {
        const after = toDraft(data);
        setSaved(after);
        // The response contains ids for new components; edits made during the request are kept.
        setHistory((before) => (before.now === sent ? { ...before, now: after } : before));
      });
      setState({ kind: "saved" });
      return true;
    } catch (error) {
      if (!isConflict(error)) {
        setState({ kind: "refused", message: toRefusal(error) });
        return false;
      }
      const { data } = await call(
        "apps.get",
        { params: { id } },
        { onAnswer: ({ headers }) => (etag.current = headers.get("etag") ?? undefined) },
      );
      setState({ kind: "conflict", theirs: toDraft(data) });
      return false;
    }
  }, [id, newest, setHistory]);
  return { saved, setSaved, state, setState, save };
}

const toRefusal = (error: unknown): string =>
  error instanceof ApiError && error.status === 422
    ? "Not saved. Fix the problems first."
    : describeRefusal(error);

function toBody({ pages, dataSources, ...rest }: Draft) {
  return {
    ...rest,
    pages: pages.map((page) => ({ ...page, components: [...page.components] })),
    dataSources: dataSources.map((source) => ({ ...source, config: { ...source.config } })),
  };
}

function useLeaveWarning(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isDirty]);
}
