import { useState } from "react";
import { ScopePicker } from "../account/index.ts";
import { call, type Schemas, useOp } from "../data/api.ts";
import { useMe } from "../data/people.ts";
import { useAttempt } from "../shell/sign-in/card.tsx";
import { Field } from "../ui/field.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { notify } from "../ui/toast.tsx";
import { count, toWords } from "../ui/words.ts";
import { diffRole, expandEntries, type RoleDiff } from "./matrix.ts";
import type { Draft } from "./draft.ts";
import { Button } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

interface RoleDialogProps {
  readonly draft: Draft;
  readonly catalog: readonly string[];
  readonly onClose: () => void;
}

/** Makes or changes a role; before it is saved it says in words what its people gain and lose. */
export function RoleDialog({ draft, catalog, onClose }: RoleDialogProps) {
  const me = useMe();
  const { role, from } = draft;
  const base = role ?? from;
  const [name, setName] = useState(role?.name ?? (from ? `Copy of ${toWords(from.name)}` : ""));
  const [description, setDescription] = useState(base?.description ?? "");
  const before = base?.permissions ?? [];
  const [chosen, setChosen] = useState<ReadonlySet<string>>(expandEntries(before, catalog));
  const { problem, isBusy, attempt } = useAttempt();
  const held = new Set(me?.permissions);
  const offered = catalog.filter((one) => held.has(one) || chosen.has(one));
  const beyond = [...chosen].filter((one) => !held.has(one));
  const diff = diffRole(before, [...chosen], catalog);
  const isSame =
    role !== undefined &&
    diff.added.length + diff.taken.length === 0 &&
    name.trim() === role.name &&
    description === role.description;
  const holders = useHolders(role?.id);
  const save = async (): Promise<void> => {
    const changed = diff.added.length + diff.taken.length > 0;
    const body = { name: name.trim(), description, permissions: [...chosen].toSorted() };
    if (role) {
      // An untouched list of entries stays as it was written, patterns included.
      const { permissions, ...words } = body;
      await call("roles.update", {
        params: { id: role.id },
        body: changed ? { ...words, permissions } : words,
      });
    } else await call("roles.create", { body });
    notify(role ? `${body.name} is changed.` : `${body.name} is a role now.`);
    onClose();
  };
  const remove = async (): Promise<void> => {
    if (!role) return;
    await call("roles.delete", { params: { id: role.id } });
    notify(`${role.name} is removed.`);
    onClose();
  };
  return (
    <Dialog
      title={role ? role.name : from ? `A role like ${toWords(from.name)}` : "New role"}
      isWide
      onClose={onClose}
      onSubmit={() => void attempt(save)}
      footer={
        <>
          {role && (
            <Button
              type="button"
              disabled={isBusy || holders > 0}
              title={holders > 0 ? `${count(holders, "member")} still have it.` : undefined}
              onClick={() => void attempt(remove)}
            >
              Remove the role
            </Button>
          )}
          <Button
            look="main"
            disabled={isBusy || isSame || name.trim() === "" || beyond.length > 0}
          >
            {role ? "Save the role" : "Create the role"}
          </Button>
        </>
      }
    >
      <TextField label="Name" lengthMax={60} value={name} onChange={setName} />
      <TextField
        label="What it is for"
        isOptional
        lengthMax={1_000}
        value={description}
        onChange={setDescription}
      />
      <ScopePicker offered={offered} chosen={chosen} onChange={setChosen} />
      <DiffWords diff={diff} holders={holders} isNew={role === undefined} copyOf={from} />
      {beyond.length > 0 && (
        <p className="dialog-problem">You can't grant what you lack: {beyond.join(", ")}.</p>
      )}
      {problem !== undefined && (
        <p className="dialog-problem" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  );
}

function TextField(props: {
  readonly label: string;
  readonly value: string;
  readonly lengthMax: number;
  readonly isOptional?: boolean;
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label={props.label} isOptional={props.isOptional === true}>
      {(bound) => (
        <TextInput
          {...bound}
          maxLength={props.lengthMax}
          value={props.value}
          onChange={({ target }) => props.onChange(target.value)}
        />
      )}
    </Field>
  );
}

/** How many members have a role; those of a list that is short enough to count. */
function useHolders(roleId: string | undefined): number {
  const { data } = useOp(
    "users.list",
    { query: { limit: 200 } },
    { enabled: roleId !== undefined },
  );
  return (
    data?.data.filter(({ roles }) => roleId !== undefined && roles.includes(roleId)).length ?? 0
  );
}

function DiffWords(props: {
  readonly diff: RoleDiff;
  readonly holders: number;
  readonly isNew: boolean;
  readonly copyOf: Schemas["Role"] | undefined;
}) {
  const { added, taken } = props.diff;
  const who = props.isNew
    ? props.copyOf
      ? `Unlike ${toWords(props.copyOf.name)}, it`
      : "It"
    : props.holders > 0
      ? count(props.holders, "member")
      : "Nobody has it yet; whoever gets it";
  if (added.length + taken.length === 0) {
    return (
      <p className="muted role-diff">
        {props.copyOf ? `The same as ${toWords(props.copyOf.name)}.` : "Nothing is changed."}
      </p>
    );
  }
  const isMany = !props.isNew && props.holders !== 1;
  return (
    <div className="role-diff" aria-live="polite">
      {added.length > 0 && (
        <p>
          {who} {isMany ? "gain" : "gains"} <DiffList names={added} tone="ok" />
        </p>
      )}
      {taken.length > 0 && (
        <p>
          {who} {isMany ? "lose" : "loses"} <DiffList names={taken} tone="bad" />
        </p>
      )}
    </div>
  );
}

function DiffList(props: { readonly names: readonly string[]; readonly tone: "ok" | "bad" }) {
  return (
    <span className="role-diff-list">
      {props.names.map((name) => (
        <code key={name} className={`tag ${props.tone}`}>
          {name}
        </code>
      ))}
    </span>
  );
}
