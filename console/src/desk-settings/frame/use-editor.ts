import { useState } from "react";
import { ApiError, invalidate } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useActions } from "../../shell/actions.ts";
import { notify } from "../../ui/toast.tsx";

interface Saved {
  readonly id: string;
  readonly name: string;
}

interface EditorOptions<D> {
  readonly initial: D;
  /** The revision of the edited resource; undefined for a new one. */
  readonly revision: number | undefined;
  readonly save: (draft: D, ifMatch: string | undefined) => Promise<Saved>;
  readonly remove?: () => Promise<unknown>;
  /** The prefix of the operations that read it. */
  readonly stale: string;
  readonly refusal: string | undefined;
  /** Opens the saved resource; called with undefined after a deletion. */
  readonly onOpen?: (id: string | undefined) => void;
}

export interface Editor<D> {
  readonly draft: D;
  readonly change: (next: Partial<D>) => void;
  readonly isChanged: boolean;
  readonly isNew: boolean;
  readonly isBusy: boolean;
  /** An error that does not belong to a field. */
  readonly error: string | undefined;
  readonly errorOf: (pointer: string) => string | undefined;
  readonly refusal: string | undefined;
  readonly submit: () => void;
  readonly reset: () => void;
  readonly remove: (() => void) | undefined;
}

/** The draft of a settings resource, saved as a whole on the version that it is based on. */
export function useEditor<D extends object>(options: EditorOptions<D>): Editor<D> {
  const { initial, revision, stale, refusal } = options;
  const [base, setBase] = useState({ draft: initial, revision });
  const [draft, setDraft] = useState(initial);
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<unknown>();
  const isChanged = JSON.stringify(draft) !== JSON.stringify(base.draft);
  const errors = refused instanceof ApiError ? refused.errors : [];
  const run = async (act: () => Promise<void>): Promise<void> => {
    if (isBusy || refusal !== undefined) return;
    setBusy(true);
    try {
      await act();
      setRefused(undefined);
      invalidate([stale]);
    } catch (error) {
      setRefused(error);
    }
    setBusy(false);
  };
  const submit = (): void =>
    void run(async () => {
      const ifMatch = base.revision === undefined ? undefined : `"${base.revision}"`;
      const saved = await options.save(draft, ifMatch);
      setBase({ draft, revision: base.revision === undefined ? undefined : base.revision + 1 });
      notify(`${saved.name} is saved`);
      options.onOpen?.(saved.id);
    });
  useActions([{ keys: "mod+s", label: "Save", run: submit, always: true, disabled: refusal }]);
  const { remove } = options;
  return {
    draft,
    change: (next) => setDraft((old) => ({ ...old, ...next })),
    isChanged,
    isNew: revision === undefined,
    isBusy,
    error: refused === undefined ? undefined : describeRefusal(refused),
    errorOf: (pointer) => errors.find(({ path }) => path === pointer)?.message,
    refusal,
    submit,
    reset: () => {
      setDraft(base.draft);
      setRefused(undefined);
    },
    remove:
      remove &&
      (() =>
        void run(async () => {
          await remove();
          options.onOpen?.(undefined);
        })),
  };
}
