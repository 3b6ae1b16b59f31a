import { useState } from "react";
import { call, type Schemas } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { CopyLine } from "../ui/copy-line.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { ListField } from "../ui/form/list-field.tsx";
import { Stack } from "../ui/layout/layout.tsx";
import { NoticeDialog } from "../ui/overlay/notice-dialog.tsx";
import { count } from "../ui/words.ts";
import { isAddress, splitAddresses } from "./addresses.ts";
import { RolesField } from "./role-choice.tsx";

type Sent = Schemas["NewInvitation"];
const AT_ONCE_MAX = 50;

interface Outcome {
  readonly sent: readonly Sent[];
  readonly refused: readonly { readonly email: string; readonly why: string }[];
}

interface Draft {
  readonly emails: readonly string[];
  readonly roleIds: readonly string[];
}

/** Invites several people with the same roles. Shows the invitation links if no mail server is configured. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const [outcome, setOutcome] = useState<Outcome>();
  const form = useForm("users.invite", {
    initial: { emails: [], roleIds: ["member"] },
    check: ({ emails, roleIds }) => ({
      emails: describeFault(emails),
      roleIds: roleIds.length === 0 ? "Choose at least one role." : undefined,
    }),
    send: inviteAll,
    said: (result) =>
      hasAllMailed(result) ? `${count(result.sent.length, "invitation")} sent.` : undefined,
    onDone: (result) => (hasAllMailed(result) ? onClose() : setOutcome(result)),
  });
  if (outcome) return <OutcomeDialog outcome={outcome} onClose={onClose} />;
  const { length } = form.values.emails;
  return (
    <FormDialog
      form={form}
      title="Invite people"
      act={length > 1 ? `Invite ${length} people` : "Invite"}
      onClose={onClose}
    >
      <ListField
        {...form.field("emails")}
        label="E-mail addresses"
        help="Separate several addresses with commas or line breaks. An invitation expires after seven days."
        rows={4}
        parse={splitAddresses}
        isRequired
      />
      <RolesField {...form.field("roleIds")} />
    </FormDialog>
  );
}

const hasAllMailed = ({ sent, refused }: Outcome): boolean =>
  refused.length === 0 && sent.every(({ mailed }) => mailed);

function describeFault(emails: readonly string[]): string | undefined {
  if (emails.length === 0) return "Enter at least one address.";
  if (emails.length > AT_ONCE_MAX) return `Enter at most ${AT_ONCE_MAX} addresses at once.`;
  const bad = emails.filter((email) => !isAddress(email));
  if (bad.length === 0) return undefined;
  const more = bad.length > 3 ? "…" : "";
  return `Not an e-mail address: ${bad.slice(0, 3).join(", ")}${more}`;
}

/** Sends invitations one by one, so an error affects only one address. */
async function inviteAll({ emails, roleIds }: Draft): Promise<Outcome> {
  const sent: Sent[] = [];
  const refused: { email: string; why: string }[] = [];
  for (const email of emails) {
    try {
      sent.push((await call("users.invite", { body: { email, roleIds: [...roleIds] } })).data);
    } catch (error) {
      refused.push({ email, why: error instanceof Error ? error.message : String(error) });
    }
  }
  return { sent, refused };
}

function OutcomeDialog(props: { readonly outcome: Outcome; readonly onClose: () => void }) {
  const { sent, refused } = props.outcome;
  const links = sent.filter(({ url }) => url !== undefined);
  return (
    <NoticeDialog
      title={links.length > 0 ? "Share these invitation links" : "Some invitations were not sent"}
      isWide
      onClose={props.onClose}
    >
      <Stack gap={5}>
        {links.length > 0 && (
          <p>
            The invitations were not sent by e-mail, because a mail server is not configured. Copy
            the links now: they are not shown again. Each link works once, for one person.
          </p>
        )}
        {links.map(({ id, email, url }) => (
          <CopyLine key={id} label={email} text={url ?? ""} />
        ))}
        {refused.map(({ email, why }) => (
          <p key={email} className="dialog-problem" role="alert">
            <strong>{email}</strong>: {why}
          </p>
        ))}
      </Stack>
    </NoticeDialog>
  );
}
