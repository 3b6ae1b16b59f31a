import { ScopesField } from "../account/index.ts";
import { type Schemas, useOp } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { useMe } from "../data/people.ts";
import { useCommand } from "../data/use-command.ts";
import { CommandButton } from "../ui/form/command-button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextField } from "../ui/form/text-field.tsx";
import { count, toWords } from "../ui/words.ts";
import type { Draft } from "./draft.ts";
import { diffRole, expandEntries, type RoleDiff } from "./matrix.ts";

interface RoleDialogProps {
  readonly draft: Draft;
  readonly catalog: readonly string[];
  readonly onClose: () => void;
}

/** Creates or edits a role; before saving it shows which permissions its members gain and lose. */
export function RoleDialog({ draft, catalog, onClose }: RoleDialogProps) {
  const me = useMe();
  const { role, from } = draft;
  const base = role ?? from;
  const before = base?.permissions ?? [];
  const held = new Set(me?.permissions);
  const holders = useHolders(role?.id);
  const form = useForm(role ? "roles.update" : "roles.create", {
    params: { id: role?.id ?? "" },
    initial: {
      name: role?.name ?? (from ? `Copy of ${toWords(from.name)}` : ""),
      description: base?.description ?? "",
      // An unchanged list keeps its original entries including patterns, because only changes are sent.
      permissions: [...expandEntries(before, catalog)].toSorted(),
    },
    check: ({ permissions }) => {
      const beyond = (permissions ?? []).filter((one) => !held.has(one));
      return {
        permissions:
          beyond.length > 0
            ? `You can't grant permissions that you don't have: ${beyond.join(", ")}.`
            : undefined,
      };
    },
    said: ({ data: { name } }) => (role ? `Role ${name} saved.` : `Role ${name} created.`),
    onDone: onClose,
  });
  const remove = useCommand("roles.delete", {
    refusal:
      holders > 0
        ? `${count(holders, "member")} still have this role. Remove it from them first.`
        : undefined,
    said: `Role ${role?.name ?? ""} deleted.`,
    onDone: onClose,
  });
  const chosen = form.values.permissions ?? [];
  return (
    <FormDialog
      form={form}
      title={role ? role.name : from ? `Copy of role ${toWords(from.name)}` : "New role"}
      act={role ? "Save role" : "Create role"}
      isWide
      onClose={onClose}
      others={
        role && (
          <CommandButton
            command={remove}
            onPress={() => void remove.run({ params: { id: role.id } })}
          >
            Delete role
          </CommandButton>
        )
      }
    >
      <TextField {...form.field("name")} />
      <TextField {...form.field("description")} label="Description" />
      <ScopesField
        {...form.field("permissions")}
        offered={catalog.filter((one) => held.has(one) || chosen.includes(one))}
      />
      <DiffWords
        diff={diffRole(before, chosen, catalog)}
        holders={holders}
        isNew={role === undefined}
        copyOf={from}
      />
    </FormDialog>
  );
}

/** Counts the members with a role, if the member list is short enough. */
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
      ? `Compared with ${toWords(props.copyOf.name)}, this role`
      : "This role"
    : props.holders > 0
      ? count(props.holders, "member")
      : "No members have this role. It";
  if (added.length + taken.length === 0) {
    return (
      <p className="muted role-diff">
        {props.copyOf ? `The same as ${toWords(props.copyOf.name)}.` : "No changes."}
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
