import "./people.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ShieldCheck, ShieldOff } from "lucide-react";
import { useMemo, useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useMay } from "../data/people.ts";
import { useActions } from "../shell/actions.ts";
import { Avatar } from "../ui/avatar.tsx";
import { useDebounced } from "../ui/behaviour/debounce.ts";
import { type Column, Table } from "../ui/display/table.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { Invitations } from "./invitations.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { useRoles } from "./role-names.ts";
import { Button, PlainButton } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

type Member = Schemas["Member"];
type Access = Schemas["MemberAccess"];

const SHOWN = 200;
const PAUSE_MS = 200;

/** All members of the workspace, and pending invitations. */
export function People() {
  const { tab, q = "" } = useSearch({ from: "/inside/settings/people" });
  const navigate = useNavigate();
  const may = useMay();
  const { nameOf } = useRoles();
  const [text, setText] = useState(q);
  const [isInviting, setInviting] = useState(false);
  const words = useDebounced(text.trim(), PAUSE_MS);
  const mayWrite = may("users.list_access");
  const isOpen = tab === "invitations";
  const { data, error, isPending, refetch } = useOp(
    "users.list",
    { query: { limit: SHOWN, ...(words !== "" && { q: words }) } },
    { enabled: !isOpen },
  );
  const access = useOp(
    "users.list_access",
    { query: { limit: SHOWN } },
    { enabled: mayWrite && !isOpen },
  ).data;
  const invitations = useOp("invitations.list", { query: { limit: SHOWN } }).data?.data.length;
  const columns = useMemo(
    () => listColumns(nameOf, access && new Map(access.data.map((one) => [one.userId, one]))),
    [nameOf, access],
  );
  const reason = mayWrite ? undefined : "You don't have permission to invite people.";
  useActions([
    { keys: "n", label: "Invite people", run: () => setInviting(true), disabled: reason },
    {
      keys: "/",
      label: "Search people",
      run: () => document.getElementById("people-find")?.focus(),
    },
  ]);
  const show = (next: "invitations" | undefined): void =>
    void navigate({ to: "/settings/people", search: { tab: next }, replace: true });
  return (
    <div className="page paper people-page">
      <header className="page-head">
        <h1>People</h1>
        <div className="tabs" role="group" aria-label="Show">
          <PlainButton aria-pressed={!isOpen} onClick={() => show(undefined)}>
            Members
          </PlainButton>
          <PlainButton aria-pressed={isOpen} onClick={() => show("invitations")}>
            {" "}
            Invitations{invitations ? ` ${invitations}` : ""}
          </PlainButton>
        </div>
        <span className="grow" />
        {!isOpen && (
          <label className="people-find">
            <TextInput
              id="people-find"
              type="search"
              aria-label="Search people"
              placeholder="Search…"
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          </label>
        )}
        <Button look="main" refusal={reason} onClick={() => setInviting(true)}>
          Invite
        </Button>
      </header>
      {isOpen && <Invitations nameOf={nameOf} />}
      {!isOpen && error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {!isOpen && isPending && <Loading rows={10} />}
      {!isOpen && data && (
        <Table
          label="Members"
          columns={columns}
          rows={data.data}
          keyOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: "/settings/people/$id", params: { id } })}
          empty={
            <Empty title={words === "" ? "No members" : "No matching members"}>
              Search by name or e-mail address.
            </Empty>
          }
        />
      )}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </div>
  );
}

function listColumns(
  nameOf: (id: string) => string,
  access: ReadonlyMap<string, Access> | undefined,
): readonly Column<Member>[] {
  return [
    {
      id: "name",
      label: "Name",
      sortBy: ({ name }) => name,
      cell: ({ name }) => (
        <span className="people-who">
          <Avatar name={name} />
          <strong className="cut">{name}</strong>
        </span>
      ),
    },
    { id: "email", label: "E-mail", sortBy: ({ email }) => email, cell: ({ email }) => email },
    {
      id: "roles",
      label: "Roles",
      sortBy: ({ roles }) => roles.map(nameOf).join(" "),
      cell: ({ roles }) => roles.map(nameOf).join(", ") || "None",
    },
    ...(access ? accessColumns(access) : []),
    {
      id: "status",
      label: "State",
      width: "116px",
      sortBy: ({ status }) => status,
      cell: ({ status }) => (
        <State
          state={status === "active" ? "active" : "paused"}
          label={status === "active" ? "Active" : "Suspended"}
        />
      ),
    },
  ];
}

function accessColumns(access: ReadonlyMap<string, Access>): readonly Column<Member>[] {
  return [
    {
      id: "factor",
      label: "Second factor",
      width: "120px",
      sortBy: ({ id }) => (access.get(id)?.hasSecondFactor ? 1 : 0),
      cell: ({ id }) =>
        access.get(id)?.hasSecondFactor ? (
          <span className="row">
            <ShieldCheck className="ico ok" /> Yes
          </span>
        ) : (
          <span className="row muted">
            <ShieldOff className="ico" /> No
          </span>
        ),
    },
    {
      id: "seen",
      label: "Last seen",
      width: "100px",
      sortBy: ({ id }) => access.get(id)?.lastSeenAt ?? "",
      cell: ({ id }) => {
        const at = access.get(id)?.lastSeenAt;
        return at ? <Ago at={at} /> : <span className="muted">Never</span>;
      },
    },
  ];
}
