import { useEffect, useRef, useState } from "react";
import { type Condition, type FilterGroup, fromCondition, toCondition } from "./filter-tree.ts";

const PAUSE_MS = 250;

/** The filter while the user edits it: incomplete rules are kept, and the list is updated after a short delay. */
export function useFilterDraft(filter: Condition, onChange: (filter: Condition) => void) {
  const [tree, setTree] = useState(() => fromCondition(filter));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const told = useRef(JSON.stringify(filter));
  const now = JSON.stringify(filter);
  useEffect(() => {
    // The filter changed elsewhere: by another view or by browser navigation.
    if (now === told.current) return;
    told.current = now;
    setTree(fromCondition(JSON.parse(now) as Condition));
  }, [now]);
  const change = (next: FilterGroup): void => {
    setTree(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const condition = toCondition(next);
      const text = JSON.stringify(condition);
      if (text === told.current) return;
      told.current = text;
      onChange(condition);
    }, PAUSE_MS);
  };
  return { tree, setTree: change };
}
