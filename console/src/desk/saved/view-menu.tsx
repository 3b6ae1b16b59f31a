import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { useMay, useMe } from "../../data/people.ts";
import { perform } from "../../data/use-command.ts";
import { Menu } from "../../ui/overlay/menu.tsx";
import type { SavedView } from "../queue/views.ts";
import { ViewDialog } from "./view-dialog.tsx";

interface ViewMenuProps {
  readonly saved: SavedView;
  /** Called after the view was deleted. */
  readonly onGone: () => void;
}

export function ViewMenu({ saved, onGone }: ViewMenuProps) {
  const may = useMay();
  const meId = useMe()?.user.id;
  const [isNaming, setNaming] = useState(false);
  const refusal =
    saved.createdBy === meId || may("teams.update")
      ? undefined
      : "Only its owner can change this view.";
  const remove = (): void => {
    const { name, kinds, onlyOpen, filter, sort, columns, sharedWith, teamId, position } = saved;
    const body = { name, kinds, onlyOpen, filter, sort, columns, sharedWith, teamId, position };
    void perform(
      "views.delete",
      { params: { id: saved.id } },
      {
        said: `${name} deleted`,
        undo: () => call("views.create", { body }),
        onDone: onGone,
      },
    );
  };
  return (
    <>
      <Menu
        label={`Actions for view ${saved.name}`}
        className="btn bare icon small view-more"
        items={[
          { label: "Rename or share…", onPick: () => setNaming(true), disabled: refusal },
          { label: "Delete", onPick: remove, disabled: refusal, isDangerous: true, isApart: true },
        ]}
      >
        <Ellipsis />
      </Menu>
      {isNaming && (
        <ViewDialog
          saved={saved}
          onClose={() => setNaming(false)}
          onSaved={() => setNaming(false)}
        />
      )}
    </>
  );
}
