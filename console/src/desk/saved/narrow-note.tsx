import { Bookmark, Save } from "lucide-react";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { useMay, useMe } from "../../data/people.ts";
import { perform } from "../../data/use-command.ts";
import { useActions } from "../../shell/actions.ts";
import { count } from "../../ui/words.ts";
import type { View } from "../queue/views.ts";
import type { DeskSearch } from "../search.ts";
import { refusalOfSaving, toSavedPart } from "./saved-view.ts";
import { ViewDialog } from "./view-dialog.tsx";
import { Button } from "../../ui/form/button.tsx";

interface NarrowNoteProps {
  readonly view: View;
  readonly search: DeskSearch;
  /** The displayed columns, which are saved with a view. */
  readonly columns: readonly string[];
  readonly total: number | undefined;
  readonly onView: (id: string) => void;
}

/** The number of filtered tickets, with an action to save the filter as a view. */
export function NarrowNote({ view, search, columns, total, onView }: NarrowNoteProps) {
  const may = useMay();
  const meId = useMe()?.user.id ?? "";
  const [isNaming, setNaming] = useState(false);
  const part = toSavedPart(view, search, { meId });
  const refusal = refusalOfSaving(view);
  const { saved } = view;
  const isNarrowed = search.only !== undefined || search.q !== undefined;
  const canSave = search.only !== undefined || (!saved && view.id !== "open");
  useActions(
    canSave
      ? [{ keys: "v", label: "Save as view", run: () => setNaming(true), disabled: refusal }]
      : [],
  );
  if (!isNarrowed) {
    return isNaming ? dialog() : null;
  }
  const keep = (): void => {
    if (!saved) return;
    const { filter, kinds, onlyOpen } = saved;
    const params = { id: saved.id };
    void perform(
      "views.update",
      { params, body: { ...part, kinds: [...part.kinds] } },
      {
        said: `${saved.name} updated`,
        undo: () => call("views.update", { params, body: { filter, kinds, onlyOpen } }),
        onDone: () => onView(saved.id),
      },
    );
  };
  function dialog() {
    return (
      <ViewDialog
        part={part}
        columns={columns}
        onClose={() => setNaming(false)}
        onSaved={(id) => {
          setNaming(false);
          onView(id);
        }}
      />
    );
  }
  const isMine = saved !== undefined && (saved.createdBy === meId || may("teams.update"));
  return (
    <div className="queue-note">
      <span className="grow" role="status">
        {total === undefined ? "…" : count(total, "ticket")}
      </span>
      {isMine && search.only !== undefined && (
        <Button look="bare" onClick={keep}>
          <Save /> Update view
        </Button>
      )}
      {search.only !== undefined && (
        <Button
          look="bare"
          disabled={refusal !== undefined}
          title={refusal ?? "Save as view (v)"}
          onClick={() => setNaming(true)}
        >
          <Bookmark /> Save as view
        </Button>
      )}
      {isNaming && dialog()}
    </div>
  );
}
