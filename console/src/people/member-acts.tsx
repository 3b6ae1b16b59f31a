import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call, etagOf, type Schemas, useOp } from "../data/api.ts";
import { useMay, useMe } from "../data/people.ts";
import { useCommand, useWork } from "../data/use-command.ts";
import { Entry, Section } from "../ui/display/section.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { TypedConfirm } from "../ui/overlay/typed-confirm.tsx";
import { notify } from "../ui/toast.tsx";
import { count } from "../ui/words.ts";
import { Button } from "../ui/form/button.tsx";
import { CommandButton } from "../ui/form/command-button.tsx";

type Member = Schemas["Member"];
type Asked = "suspend" | "remove" | "owner";

/** Actions that end or transfer a membership. Each shows its consequences first. */
export function MemberActs({ member }: { readonly member: Member }) {
  const me = useMe();
  const [asked, setAsked] = useState<Asked>();
  const isSelf = member.id === me?.user.id;
  const isOwner = member.roles.includes("owner");
  const amOwner = me?.roles.includes("owner") === true;
  const reason = isOwner && !amOwner ? "Only owners can change an owner." : undefined;
  const isActive = member.status === "active";
  const open = (next: Asked | undefined): void => setAsked(next);
  const { setStatus, remove, handOver } = useMemberCommands(member, reason, () => open(undefined));
  return (
    <Section title="Membership" isDangerous>
      <ul>
        {amOwner && !isOwner && isActive && (
          <Entry
            title="Transfer ownership"
            about="This person becomes owner and you become admin."
            act={<Button onClick={() => open("owner")}>Transfer ownership</Button>}
          />
        )}
        <Entry
          title={isActive ? "Suspend member" : "Reactivate member"}
          about={
            isActive
              ? "The member loses all access. Roles and teams are kept."
              : "The member gets the previous roles back. Tokens and application access stay revoked."
          }
          act={
            <CommandButton
              command={setStatus}
              onPress={() => (isActive ? open("suspend") : setStatus.to("active"))}
            >
              {isActive ? "Suspend" : "Reactivate"}
            </CommandButton>
          }
        />
        <Entry
          title={isSelf ? "Leave workspace" : "Remove from workspace"}
          about="Everything this person created is kept under their name."
          act={
            <CommandButton command={remove} onPress={() => open("remove")}>
              {isSelf ? "Leave" : "Remove"}
            </CommandButton>
          }
        />
      </ul>
      {asked === "suspend" && (
        <Confirm
          title={`Suspend ${member.name}`}
          act="Suspend"
          isBusy={setStatus.isBusy}
          onAct={() => setStatus.to("deactivated")}
          onClose={() => open(undefined)}
        >
          <Consequences member={member} />
        </Confirm>
      )}
      {asked === "remove" && (
        <TypedConfirm
          title={isSelf ? "Leave workspace" : `Remove ${member.name}`}
          act={isSelf ? "Leave" : "Remove"}
          word={member.email}
          isBusy={remove.isBusy}
          onAct={() => void remove.run({ params: { id: member.id } })}
          onClose={() => open(undefined)}
        >
          <Consequences member={member} />
        </TypedConfirm>
      )}
      {asked === "owner" && (
        <TypedConfirm
          title={`Transfer ownership to ${member.name}`}
          act="Transfer ownership"
          word={member.email}
          isBusy={handOver.isBusy}
          onAct={handOver.run}
          onClose={() => open(undefined)}
        >
          <p>Only an owner can make you an owner again.</p>
        </TypedConfirm>
      )}
    </Section>
  );
}

/** The commands of the buttons, with their messages. */
function useMemberCommands(member: Member, refusal: string | undefined, onDone: () => void) {
  const me = useMe();
  const navigate = useNavigate();
  const params = { id: member.id };
  const update = useCommand("users.update", {
    refusal,
    said: ({ data: { status } }) =>
      status === "active" ? `${member.name} is reactivated.` : `${member.name} is suspended.`,
    onDone,
  });
  const remove = useCommand("users.remove", {
    refusal,
    said: `${member.name} is removed from the workspace.`,
    onDone: () => void navigate({ to: "/settings/people" }),
  });
  const work = useWork("roles.assign");
  const handOver = (): void => {
    if (!me) return;
    void work.run(async () => {
      await call("roles.assign", { params: { userId: member.id }, body: { roleId: "owner" } });
      // The new owner is assigned first, so that the workspace always has one.
      await call("roles.assign", { params: { userId: me.user.id }, body: { roleId: "admin" } });
      await call("roles.unassign", { params: { userId: me.user.id, roleId: "owner" } });
      notify(`${member.name} is now owner of this workspace. You are admin.`);
      onDone();
    });
  };
  const to = (status: Member["status"]): void =>
    void update.run({ params, body: { status } }, etagOf("users.get", { params }));
  return { setStatus: { ...update, to }, remove, handOver: { ...work, run: handOver } };
}

/** The consequences of removing a member, with counts if available. */
function Consequences({ member }: { readonly member: Member }) {
  const may = useMay();
  const tokens = useOp(
    "users.list_tokens",
    { query: { userId: member.id, limit: 200 } },
    { enabled: may("users.list_tokens") },
  ).data?.data.length;
  return (
    <>
      <ul className="plain-list">
        <li>
          {tokens ? count(tokens, "API token") : "Their API tokens"}, application access and sent
          invitations are revoked permanently.
        </li>
        <li>All open sessions end immediately.</li>
        <li>
          Their tickets stay assigned to them. Approvals that only they can give stay pending.
        </li>
        <li>Workflows, jobs and webhooks that run as this person stop. The owners are notified.</li>
      </ul>
    </>
  );
}
