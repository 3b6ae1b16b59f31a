import "./people.css";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { call, type Schemas, useOp } from "../data/api.ts";
import { useMay, useMe, useRefusals } from "../data/people.ts";
import { PageError } from "../shell/not-found.tsx";
import { useTitle } from "../shell/title.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Section } from "../ui/display/section.tsx";
import { Loading } from "../ui/feedback.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { notify, notifyError } from "../ui/toast.tsx";
import { Manager } from "./reporting-line.tsx";
import { MemberAccess } from "./member-access.tsx";
import { MemberActs } from "./member-acts.tsx";
import { MemberActivity } from "./member-activity.tsx";
import { RoleChoice } from "./role-choice.tsx";
import { useRoles } from "./role-names.ts";
import { Button } from "../ui/form/button.tsx";

type Member = Schemas["Member"];

/** One member: roles, teams, how they get in, what they did, and the way out. */
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
                  {member.email} · here since <Ago at={member.createdAt} />
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
            <Roles key={member.roles.join()} member={member} />
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
  const { roles, nameOf } = useRoles();
  const may = useMay();
  const refusalOf = useRefusals();
  const [isEditing, setEditing] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(member.roles));
  const [isBusy, setBusy] = useState(false);
  const added = [...chosen].filter((id) => !member.roles.includes(id));
  const taken = member.roles.filter((id) => !chosen.has(id));
  const reason = refusalOf("roles.assign");
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      // First what is given: the last owner is never without a successor on the way.
      for (const roleId of added) {
        await call("roles.assign", { params: { userId: member.id }, body: { roleId } });
      }
      for (const roleId of taken) {
        await call("roles.unassign", { params: { userId: member.id, roleId } });
      }
      notify(`The roles of ${member.name} are changed.`);
      setEditing(false);
    } catch (failure) {
      notifyError(failure);
    }
    setBusy(false);
  };
  return (
    <Section
      title="Roles"
      about={member.roles.map(nameOf).join(", ") || "None: they may do nothing here."}
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
          <RoleChoice roles={roles} chosen={chosen} onChange={setChosen} />
          <p className="muted">
            {added.length + taken.length === 0
              ? "Nothing is changed yet."
              : [
                  added.length > 0 && `Gets ${added.map(nameOf).join(", ")}.`,
                  taken.length > 0 && `Loses ${taken.map(nameOf).join(", ")}.`,
                ]
                  .filter(Boolean)
                  .join(" ")}
          </p>
          <div className="btn-row">
            <Button
              look="main"
              disabled={isBusy || added.length + taken.length === 0}
              onClick={() => void save()}
            >
              Save the roles
            </Button>
            <Button
              onClick={() => {
                setChosen(new Set(member.roles));
                setEditing(false);
              }}
            >
              Leave it
            </Button>
          </div>
        </div>
      )}
    </Section>
  );
}

function Teams({ userId }: { readonly userId: string }) {
  const teams = useOp("teams.list", { query: { limit: 200 } }).data?.data ?? [];
  const own = teams.filter(({ memberIds }) => memberIds.includes(userId));
  return (
    <Section
      title="Teams"
      about={own.length === 0 ? "In no team." : own.map(({ name }) => name).join(", ")}
    />
  );
}
