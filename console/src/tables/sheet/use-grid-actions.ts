import { useActions } from "../../shell/actions.ts";
import type { Access } from "./use-access.ts";
import type { KeyActs } from "./use-grid-keys.ts";

/** Adds the grid's actions to the command palette and the shortcut list; the grid handles the keys itself. */
export function useGridActions(acts: KeyActs, access: Access): void {
  useActions([
    {
      keys: "Enter",
      label: "Edit cell",
      run: () => acts.edit(),
      native: true,
      disabled: access.update,
    },
    {
      keys: "shift+Enter",
      label: "Insert record below",
      run: acts.addBelow,
      native: true,
      disabled: access.create,
    },
    { keys: "Space", label: "Open record", run: acts.openRecord, native: true },
    {
      keys: "mod+d",
      label: "Fill down",
      run: acts.fillDown,
      native: true,
      disabled: access.update,
    },
    {
      keys: "Delete",
      label: "Clear cells",
      run: acts.clear,
      native: true,
      disabled: access.update,
    },
    {
      keys: "mod+Delete",
      label: "Delete records",
      run: acts.deleteRows,
      native: true,
      disabled: access.delete,
    },
    { keys: "mod+z", label: "Undo", run: acts.undo },
    { keys: "mod+shift+z", label: "Redo", run: acts.redo },
    { keys: "mod+c", label: "Copy cells", run: () => undefined, native: true },
    { keys: "mod+v", label: "Paste from a spreadsheet", run: () => undefined, native: true },
  ]);
}
