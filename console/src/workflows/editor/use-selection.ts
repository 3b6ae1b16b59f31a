/** The selected steps. The address contains the last selected one, so that links can select a step. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";
import { type Definition, findStep, placeOf } from "../graph/graph.ts";
import { TRIGGER } from "../graph/layout.ts";

export interface EditorPlace {
  readonly step?: string | undefined;
  readonly run?: string | undefined;
  readonly panel?: string | undefined;
}

/** Reads the editor's search parameters and navigates to others. */
export function useEditorPlace(id: string) {
  const { step, run, panel } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { go } = useStableHandlers({
    go: (next: EditorPlace): void => {
      void navigate({
        to: "/workflows/$id",
        params: { id },
        search: (old) => ({ ...(old as EditorPlace), ...next }),
        replace: true,
      });
    },
  });
  return { step, run, panel, go };
}

const NOTHING: readonly string[] = [];

export function useSelection(draft: Definition, { step, go }: ReturnType<typeof useEditorPlace>) {
  const [several, setSeveral] = useState<readonly string[]>(NOTHING);
  const [one, setOne] = useState<readonly string[]>(step === undefined ? NOTHING : [step]);
  useEffect(() => {
    setOne((old) => (old[0] === step ? old : step === undefined ? NOTHING : [step]));
  }, [step]);
  const isSeveral = several.length > 1 && several.at(-1) === one[0];
  const wanted = isSeveral ? several : one;
  const isThere = (key: string): boolean => key === TRIGGER || findStep(draft, key) !== undefined;
  const chosen = wanted.every(isThere) ? wanted : NOTHING;
  const { choose, extend } = useStableHandlers({
    choose: (keys: readonly string[]): void => {
      const last = keys.at(-1);
      setSeveral(keys);
      setOne((old) => (old[0] === last ? old : last === undefined ? NOTHING : [last]));
      if (last !== step) go({ step: last });
    },
    /** Adds steps to the selection or removes them; all selected steps must be in the same loop. */
    extend: (keys: readonly string[]): void => {
      const [first = ""] = keys;
      if (keys.length === 1 && chosen.includes(first)) {
        return choose(chosen.filter((key) => key !== first));
      }
      const all = [...new Set([...chosen, ...keys])];
      return choose(all.filter((key) => key !== TRIGGER && placeOf(key) === placeOf(first)));
    },
  });
  return { chosen, choose, extend };
}
