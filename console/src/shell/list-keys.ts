import { useActions } from "./actions.ts";

interface ListKeys {
  readonly ids: readonly string[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

/** The shortcuts of a list, the same everywhere: `j` and `k` move, `Escape` closes the open item. */
export function useListKeys({ ids, chosen, onChoose }: ListKeys): void {
  const walk = (by: number): void => {
    const at = chosen === undefined ? -1 : ids.indexOf(chosen);
    const next = ids[Math.max(0, Math.min(ids.length - 1, at + by))];
    if (next !== undefined) onChoose(next);
  };
  const down = { label: "Next", run: () => walk(1), hidden: true };
  const up = { label: "Previous", run: () => walk(-1), hidden: true };
  // Without entries, the shortcuts are not bound: shortcuts pressed early wait for the list.
  const walks = [
    { ...down, keys: "j", hidden: false },
    { ...up, keys: "k", hidden: false },
    { ...down, keys: "ArrowDown" },
    { ...up, keys: "ArrowUp" },
  ];
  useActions([
    ...(ids.length === 0 ? [] : walks),
    { keys: "Escape", label: "Close", run: () => onChoose(undefined), hidden: true },
  ]);
}
