import { Plus, Save } from "lucide-react";
import { useState } from "react";
import { call } from "../data/api.ts";
import { useRefusals } from "../data/people.ts";
import { useActions } from "../shell/actions.ts";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { Menu } from "../ui/overlay/menu.tsx";
import { notify, notifyError } from "../ui/toast.tsx";
import type { SavedQuery } from "./query-side.tsx";
import { type QueryDraft, SaveQuery, updateQuery } from "./save-query.tsx";
import { Button } from "../ui/form/button.tsx";

interface QueryMenuProps {
  readonly saved: SavedQuery | undefined;
  readonly draft: QueryDraft;
  readonly isChanged: boolean;
  readonly onOpen: (id: string | undefined) => void;
}

/** What is done with a query as a whole. */
export function QueryMenu({ saved, draft, isChanged, onOpen }: QueryMenuProps) {
  const refusalOf = useRefusals();
  const [dialog, setDialog] = useState<"save" | "rename" | "delete">();
  const refusal = refusalOf("queries.delete");
  const save = async (): Promise<void> => {
    if (!saved) return setDialog("save");
    if (!isChanged) return;
    try {
      await updateQuery(saved, draft);
      notify(`${saved.name} is saved.`);
    } catch (error) {
      notifyError(error);
    }
  };
  const remove = async (): Promise<void> => {
    if (!saved) return;
    try {
      await call("queries.delete", { params: { id: saved.id } });
      notify(`${saved.name} is deleted.`);
      onOpen(undefined);
    } catch (error) {
      notifyError(error);
    }
  };
  useActions([
    {
      keys: "mod+s",
      label: "Save the query",
      always: true,
      run: () => void save(),
      disabled: refusal,
    },
  ]);
  return (
    <>
      {saved && (
        <Button className="wide-only" type="button" onClick={() => onOpen(undefined)}>
          <Plus /> New
        </Button>
      )}
      <Button
        type="button"
        disabled={refusal !== undefined || (saved !== undefined && !isChanged)}
        title={refusal ?? (saved && !isChanged ? "It is saved as it is." : undefined)}
        onClick={() => void save()}
      >
        <Save /> Save
      </Button>
      {saved && (
        <Menu
          label="More of this query"
          items={[
            { label: "Rename…", disabled: refusal, onPick: () => setDialog("rename") },
            { label: "Save as a new query…", disabled: refusal, onPick: () => setDialog("save") },
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
          act="Delete"
          onAct={() => void remove()}
          onClose={() => setDialog(undefined)}
        >
          <p>Nobody finds it here any more. Dashboards that ask it say so.</p>
        </Confirm>
      )}
    </>
  );
}
