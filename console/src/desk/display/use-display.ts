import { useState } from "react";
import { useMay, useMe } from "../../data/people.ts";
import { perform } from "../../data/use-command.ts";
import type { View } from "../queue/views.ts";
import { applyColumns, type Display, readDisplay, saveDisplay, toColumns } from "./display.ts";

/**
 * How rows are shown: as a saved view has its columns, else as this device does. A change of one's own view is kept in
 * it.
 */
export function useDisplay({ id, saved }: View): readonly [Display, (next: Display) => void] {
  const may = useMay();
  const me = useMe()?.user.id;
  const [device, setDevice] = useState(readDisplay);
  // What was changed here, until the view has it; another's view is changed for this visit alone.
  const [changed, setChanged] = useState<{ readonly id: string; readonly display: Display }>();
  const display =
    changed?.id === id
      ? { ...changed.display, density: device.density }
      : applyColumns(device, saved?.columns);
  const change = (next: Display): void => {
    const isOfView = saved !== undefined && saved.columns.length > 0;
    const kept = isOfView ? { ...device, density: next.density } : next;
    saveDisplay(kept);
    setDevice(kept);
    if (!isOfView) return;
    setChanged({ id, display: next });
    if (saved.createdBy !== me && !may("teams.update")) return;
    void perform("views.update", { params: { id: saved.id }, body: { columns: toColumns(next) } });
  };
  return [display, change];
}
