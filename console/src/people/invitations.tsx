import { Mail } from "lucide-react";
import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useNames } from "../data/names/names.ts";
import { useRefusals } from "../data/people.ts";
import { perform } from "../data/use-command.ts";
import { CopyLine } from "../ui/copy-line.tsx";
import { Entry, Section } from "../ui/display/section.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { NoticeDialog } from "../ui/overlay/notice-dialog.tsx";
import { Ago } from "../ui/time.tsx";
import { Button } from "../ui/form/button.tsx";

type Invitation = Schemas["Invitation"];
type Sent = Schemas["NewInvitation"];

/** Pending invitations, with actions to resend or withdraw them. */
export function Invitations({ nameOf }: { readonly nameOf: (role: string) => string }) {
  const refusalOf = useRefusals();
  const personOf = useNames();
  const { data, error, isPending, refetch } = useOp("invitations.list", { query: { limit: 200 } });
  const [again, setAgain] = useState<Sent>();
  const reason = refusalOf("users.invite");
  const resend = ({ email, name, roleIds }: Invitation) =>
    perform(
      "users.invite",
      { body: { email, roleIds: [...roleIds], ...(name !== "" && { name }) } },
      {
        said: ({ data: { mailed } }) =>
          mailed
            ? `Invitation sent to ${email} again. The previous link no longer works.`
            : undefined,
        onDone: ({ data: sent }) => sent.mailed || setAgain(sent),
      },
    );
  const withdraw = ({ id, email }: Invitation) =>
    perform("invitations.revoke", { params: { id } }, { said: `Invitation for ${email} revoked.` });
  const invitations = data?.data ?? [];
  return (
    <div className="scroll folio">
      <div className="folio-body">
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {isPending && <Loading rows={4} />}
        {data && invitations.length === 0 && (
          <Empty title="No pending invitations">
            Invitations appear here until they are accepted.
          </Empty>
        )}
        {invitations.length > 0 && (
          <Section
            title="Pending invitations"
            about="Each link works once and expires after seven days."
          >
            <ul>
              {invitations.map((one) => (
                <Entry
                  key={one.id}
                  icon={<Mail className="ico" />}
                  title={one.email}
                  about={
                    <>
                      {one.roleIds.map(nameOf).join(", ")} · by{" "}
                      {personOf(one.invitedBy) ?? "a former member"} <Ago at={one.createdAt} /> ·
                      expires <Ago at={one.expiresAt} />
                    </>
                  }
                  act={
                    <>
                      <Button
                        refusal={reason}
                        aria-label={`Resend the invitation for ${one.email}`}
                        onClick={() => void resend(one)}
                      >
                        Resend
                      </Button>
                      <Button
                        refusal={reason}
                        aria-label={`Revoke the invitation for ${one.email}`}
                        onClick={() => void withdraw(one)}
                      >
                        Revoke
                      </Button>
                    </>
                  }
                />
              ))}
            </ul>
          </Section>
        )}
      </div>
      {again?.url !== undefined && (
        <NoticeDialog title="Share this invitation link" onClose={() => setAgain(undefined)}>
          <p>The previous link no longer works. Copy this link now: it is not shown again.</p>
          <CopyLine label={again.email} text={again.url} />
        </NoticeDialog>
      )}
    </div>
  );
}
