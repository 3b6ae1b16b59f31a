import "./roles.css";
import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { useOp } from "../data/api.ts";
import { useMay, useRefusals } from "../data/people.ts";
import { useActions } from "../shell/actions.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { count } from "../ui/words.ts";
import type { Draft } from "./draft.ts";
import { Explain } from "./explain.tsx";
import { groupPermissions } from "./matrix.ts";
import { Matrix } from "./matrix-view.tsx";
import { RoleDialog } from "./role-dialog.tsx";
import { Button } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

/** Shows the permission matrix by role, and explains one person's permissions. */
export function Roles() {
  const may = useMay();
  const refusalOf = useRefusals();
  const roles = useOp("roles.list", { query: { limit: 200 } });
  const permissions = useOp("permissions.list");
  const [text, setText] = useState("");
  const [draft, setDraft] = useState<Draft>();
  const areas = useMemo(
    () => groupPermissions(permissions.data?.data ?? [], text),
    [permissions.data, text],
  );
  const reason = refusalOf("roles.create");
  useActions([
    { keys: "n", label: "New role", run: () => setDraft({ role: undefined }), disabled: reason },
    {
      keys: "/",
      label: "Search permissions",
      run: () => document.getElementById("permission-find")?.focus(),
    },
  ]);
  const error = roles.error ?? permissions.error;
  return (
    <div className="page paper roles-page">
      <header className="page-head">
        <h1>Roles</h1>
        <label className="people-find roles-find">
          <TextInput
            id="permission-find"
            type="search"
            aria-label="Search permissions"
            placeholder="Search permissions…"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <span className="grow" />
        {roles.data && permissions.data && (
          <span className="muted roles-count">
            {count(permissions.data.data.length, "permission")},{" "}
            {count(roles.data.data.length, "role")}
          </span>
        )}
        <Button look="main" refusal={reason} onClick={() => setDraft({ role: undefined })}>
          <Plus /> New role
        </Button>
      </header>
      {error && <ErrorNotice error={error} retry={() => void roles.refetch()} />}
      {!error && (!roles.data || !permissions.data) && <Loading rows={10} />}
      <div className="roles-body">
        {roles.data && permissions.data && (
          <Matrix
            roles={roles.data.data}
            areas={areas}
            catalog={permissions.data.data.map(({ name }) => name)}
            onDraft={setDraft}
            mayWrite={reason === undefined}
          />
        )}
        {may("roles.create") && <Explain />}
      </div>
      {draft && permissions.data && (
        <RoleDialog
          draft={draft}
          catalog={permissions.data.data.map(({ name }) => name)}
          onClose={() => setDraft(undefined)}
        />
      )}
    </div>
  );
}
