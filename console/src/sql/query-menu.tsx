import { Plus, Save } from "lucide-react";
import { useState } from "react";
import { useRefusals } from "../data/people.ts";
import { perform } from "../data/use-command.ts";
import { useActions } from "../shell/actions.ts";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { Menu } from "../ui/overlay/menu.tsx";
import type { SavedQuery } from "./query-side.tsx";
import { type QueryDraft, SaveQuery, updateQuery } from "./save-query.tsx";
import { Button } from "../ui/form/button.tsx";

interface QueryMenuProps {
  readonly saved: SavedQuery | undefined;
  readonly draft: QueryDraft;
  readonly isChanged: boolean;
  readonly onOpen: (id: string | undefined) => void;
}

export function QueryMenu({ saved, draft, isChanged, onOpen }: QueryMenuProps) {
  const refusalOf = useRefusals();
  const [dialog, setDialog] = useState<"save" | "rename" | "delete">();
  const refusal = refusalOf("queries.delete");
  const save = (): void => {
    if (!saved) setDialog("save");
    else if (isChanged) void updateQuery(saved, draft);
  };
  const remove = ({ id, name }: SavedQuery) =>
    perform(
      "queries.delete",
      { params: { id } },
      { said: `${name} deleted.`, onDone: () => onOpen(undefined) },
    );
  useActions([
    {
      keys: "mod+s",
      label: "Save query",
      always: true,
      run: save,
      disabled: refusal,
    },
  ]);
  return (
    <>
      {saved && (
        <Button className="wide-only" type="button" onClick={() => onOpen(undefined)}>
          <Plus /> New query
        </Button>
      )}
      <Button
        type="button"
        refusal={refusal ?? (saved && !isChanged ? "There are no unsaved changes." : undefined)}
        onClick={save}
      >
        <Save /> Save query
      </Button>
      {saved && (
        <Menu
          label="Query actions"
          items={[
            { label: "Rename…", disabled: refusal, onPick: () => setDialog("rename") },
            { label: "Save as new query…", disabled: refusal, onPick: () => setDialog("save") },
            {
              label: "Delete…",
              disabled: refusal,
              isDangerous: true,
              isApart: true,
              onPick: () => setDialog("delete"),
            },
          ]}
        >
          …
        </Menu>
      )}
      {(dialog === "save" || dialog === "rename") && (
        <SaveQuery
          draft={draft}
          saved={dialog === "rename" ? saved : undefined}
          onClose={() => setDialog(undefined)}
          onSaved={(id) => {
            setDialog(undefined);
            onOpen(id);
          }}
        />
      )}
      {dialog === "delete" && saved && (
        <Confirm
          title={`Delete ${saved.name}?`}
          act="Delete query"
          onAct={() => {
            setDialog(undefined);
            void remove(saved);
          }}
          onClose={() => setDialog(undefined)}
        >
          <p>The query is deleted for everyone. Dashboards that use it show an error.</p>
        </Confirm>
      )}
    </>
  );
}
