import { useMe } from "../people.ts";

export const NO_MAIL =
  "This installation can't send e-mail. An operator can set MILLRACE_SMTP_URL.";

/** Returns why e-mail can't be sent; undefined if the installation has a mail server. */
export function useMailRefusal(): string | undefined {
  return useMe()?.sendsMail === false ? NO_MAIL : undefined;
}

export function MailNotice() {
  const refusal = useMailRefusal();
  if (refusal === undefined) return null;
  return (
    <p className="notice" role="note">
      {refusal}
    </p>
  );
}
