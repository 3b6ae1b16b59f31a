import { useState } from "react";
import { call, type Schemas } from "../data/api.ts";
import { useAttempt } from "../shell/sign-in/card.tsx";
import { CopyLine } from "../ui/copy-line.tsx";
import { Field } from "../ui/field.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { notify } from "../ui/toast.tsx";
import { count } from "../ui/words.ts";
import { readAddresses } from "./addresses.ts";
import { RoleChoice } from "./role-choice.tsx";
import { useRoles } from "./role-names.ts";
import { Button } from "../ui/form/button.tsx";
import { TextArea } from "../ui/form/controls.tsx";

type Sent = Schemas["NewInvitation"];
const AT_ONCE_MAX = 50;

interface Outcome {
  readonly sent: readonly Sent[];
  readonly refused: readonly { readonly email: string; readonly why: string }[];
}

/** Invites several people at once, to the same roles. Without a mail server it gives the links to hand over. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const { roles } = useRoles();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(["member"]));
  const [outcome, setOutcome] = useState<Outcome>();
  const { problem, isBusy, attempt } = useAttempt();
  const { good, bad } = readAddresses(text);
  const invite = async (): Promise<void> => {
    const result = await inviteAll(good, [...chosen]);
    if (result.refused.length === 0 && result.sent.every(({ mailed }) => mailed)) {
      notify(`${count(result.sent.length, "invitation")} sent.`);
      onClose();
    } else setOutcome(result);
  };
  if (outcome) return <OutcomeDialog outcome={outcome} onClose={onClose} />;
  const fault = problem ?? describeFault(bad, good.length);
  return (
    <Dialog
      title="Invite people"
      onClose={onClose}
      onSubmit={() => void attempt(invite)}
      footer={
        <Button
          look="main"
          disabled={
            isBusy ||
            good.length === 0 ||
            good.length > AT_ONCE_MAX ||
            bad.length > 0 ||
            chosen.size === 0
          }
        >
          {good.length > 1 ? `Invite ${good.length} people` : "Invite"}
        </Button>
      }
    >
      <Field
        label="E-mail addresses"
        help="One or many, by line or comma. An invitation is good for seven days."
        error={fault}
      >
        {(bound) => (
          <TextArea
            {...bound}
            className="people-addresses"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <RoleChoice roles={roles} chosen={chosen} onChange={setChosen} />
    </Dialog>
  );
}

function describeFault(bad: readonly string[], good: number): string | undefined {
  if (good > AT_ONCE_MAX) return `At most ${AT_ONCE_MAX} at once.`;
  if (bad.length === 0) return undefined;
  return `No address: ${bad.slice(0, 3).join(", ")}${bad.length > 3 ? "…" : ""}`;
}

/** One after the other: what one address is refused for is no reason against the rest. */
async function inviteAll(emails: readonly string[], roleIds: readonly string[]): Promise<Outcome> {
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
    <Dialog
      title={links.length > 0 ? "Hand these links over" : "Not everybody was invited"}
      isWide
      onClose={props.onClose}
      onSubmit={props.onClose}
      footer={<Button look="main">Done</Button>}
    >
      <div className="invited">
        {links.length > 0 && (
          <p>
            No mail server is set up, so nothing was sent. Each link is for one person, works once
            and is shown only now.
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
      </div>
    </Dialog>
  );
}
