import "./people.css";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { call, type Schemas, useOp } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { useMay, useMe, useRefusal } from "../data/people.ts";
import { PageError } from "../shell/not-found.tsx";
import { useTitle } from "../shell/title.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Section } from "../ui/display/section.tsx";
import { Loading } from "../ui/feedback.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { Manager } from "./reporting-line.tsx";
import { MemberAccess } from "./member-access.tsx";
import { MemberActs } from "./member-acts.tsx";
import { MemberActivity } from "./member-activity.tsx";
import { RolesField } from "./role-choice.tsx";
import { useRoles } from "./role-names.ts";
import { Button } from "../ui/form/button.tsx";
import { InlineForm } from "../ui/form/inline-form.tsx";

type Member = Schemas["Member"];

/** The page of a member: roles, teams, access, activity and actions. */
export function MemberPage() {
  const { id } = useParams({ from: "/inside/settings/people/$id" });
  const { data, error, isPending, refetch } = useOp("users.get", { params: { id } });
  const member = data?.data;
  const me = useMe();
  const may = useMay();
  useTitle(member?.name);
  return (
    <div className="scroll folio">
      <div className="folio-body">
        <Link to="/settings/people" className="row muted">
          <ArrowLeft className="ico" /> People
        </Link>
        {error && <PageError error={error} retry={() => void refetch()} />}
        {isPending && <Loading rows={6} />}
        {member && (
          <>
            <header className="folio-head">
              <Avatar name={member.name} big />
              <div className="grow">
                <h1>{member.name}</h1>
                <p className="muted">
                  {member.email} · member since <Ago at={member.createdAt} />
                </p>
              </div>
              <span className="member-state">
                {member.id === me?.user.id && <span className="tag info">You</span>}
                <State
                  state={member.status === "active" ? "active" : "paused"}
                  label={member.status === "active" ? "Active" : "Suspended"}
                />
              </span>
            </header>
            <Roles member={member} />
            <Manager member={member} />
            {may("teams.list") && <Teams userId={member.id} />}
            {may("users.update") && <MemberAccess member={member} />}
            {may("audit.get") && <MemberActivity userId={member.id} />}
            {may("users.update") && <MemberActs member={member} />}
          </>
        )}
      </div>
    </div>
  );
}

function Roles({ member }: { readonly member: Member }) {
  const { nameOf } = useRoles();
  const may = useMay();
  const reason = useRefusal("roles.assign");
  const [isEditing, setEditing] = useState(false);
  return (
    <Section
      title="Roles"
      about={
        member.roles.map(nameOf).join(", ") || "None. Without a role, this person has no access."
      }
      act={
        !isEditing && (
          <span className="row">
            {may("roles.create") && (
              <Link to="/settings/roles" search={{ person: member.id }} className="btn">
                Explain access
              </Link>
            )}
            <Button refusal={reason} onClick={() => setEditing(true)}>
              Change
            </Button>
          </span>
        )
      }
    >
      {isEditing && (
        <div className="section-body">
          <RolesForm member={member} nameOf={nameOf} onClose={() => setEditing(false)} />
        </div>
      )}
    </Section>
  );
}

interface RolesFormProps {
  readonly member: Member;
  readonly nameOf: (role: string) => string;
  readonly onClose: () => void;
}

function RolesForm({ member, nameOf, onClose }: RolesFormProps) {
  const userId = member.id;
  const form = useForm("roles.assign", {
    params: { userId },
    initial: { roleIds: member.roles },
    check: ({ roleIds }) => ({
      roleIds: isSameSet(roleIds, member.roles) ? "No changes." : undefined,
    }),
    send: async ({ roleIds }: { readonly roleIds: readonly string[] }) => {
      // Roles are added before others are removed, so that the last owner always has a successor.
      for (const roleId of without(roleIds, member.roles)) {
        await call("roles.assign", { params: { userId }, body: { roleId } });
      }
      for (const roleId of without(member.roles, roleIds)) {
        await call("roles.unassign", { params: { userId, roleId } });
      }
    },
    said: `Roles of ${member.name} saved.`,
    onDone: onClose,
  });
  const { roleIds } = form.values;
  const added = without(roleIds, member.roles).map(nameOf).join(", ");
  const taken = without(member.roles, roleIds).map(nameOf).join(", ");
  return (
    <InlineForm
      form={form}
      label="Roles"
      act="Save roles"
      isMain
      others={
        <Button type="button" onClick={onClose}>
          Cancel
        </Button>
      }
    >
      <RolesField {...form.field("roleIds")} />
      <p className="muted">
        {added === "" && taken === "" && "No changes."}
        {added !== "" && `Adds ${added}. `}
        {taken !== "" && `Removes ${taken}.`}
      </p>
    </InlineForm>
  );
}

const without = (some: readonly string[], others: readonly string[]): readonly string[] =>
  some.filter((one) => !others.includes(one));

const isSameSet = (some: readonly string[], others: readonly string[]): boolean =>
  without(some, others).length === 0 && without(others, some).length === 0;

function Teams({ userId }: { readonly userId: string }) {
  const teams = useOp("teams.list", { query: { limit: 200 } }).data?.data ?? [];
  const own = teams.filter(({ memberIds }) => memberIds.includes(userId));
  return (
    <Section
      title="Teams"
      about={own.length === 0 ? "No teams." : own.map(({ name }) => name).join(", ")}
    />
  );
}
