import { useState } from "react";
import { useMay, useMe } from "../../data/people.ts";
import { perform } from "../../data/use-command.ts";
import type { View } from "../queue/views.ts";
import { applyColumns, type Display, readDisplay, saveDisplay, toColumns } from "./display.ts";

/**
 * The display settings of the saved view, or else of this device. Changes to the user's own view are saved in the
 * view.
 */
export function useDisplay({ id, saved }: View): readonly [Display, (next: Display) => void] {
  const may = useMay();
  const me = useMe()?.user.id;
  const [device, setDevice] = useState(readDisplay);
  // Local changes until the view is saved; changes to another user's view apply only to this visit.
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
