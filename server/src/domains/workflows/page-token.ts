/**
 * The tokens in addresses of pages. They are given to anybody, while the token of a webhook is a password: whoever
 * knows one page must find neither the webhooks of the workflow nor its other pages.
 */
import { equalBytes, hmac } from "#kernel/access/crypto.ts";

export type PageType = "form" | "chat";

const PAGE_TOKEN = /^(wf_[0-9a-z]{26})\.([\w-]{43})$/;

export function buildPageToken(workflowId: string, hookToken: string, type: PageType): string {
  const mark = hmac(Buffer.from(hookToken), `page ${type} ${workflowId}`).toString("base64url");
  return `${workflowId}.${mark}`;
}

/** The workflow that a token claims to be of; it is that one's only if `isPageToken` says so. */
export function workflowOfPage(token: string): string | undefined {
  return PAGE_TOKEN.exec(token)?.[1];
}

export function isPageToken(
  token: string,
  { workflowId, hookToken }: { readonly workflowId: string; readonly hookToken: string },
  type: PageType,
): boolean {
  return equalBytes(Buffer.from(token), Buffer.from(buildPageToken(workflowId, hookToken, type)));
}
