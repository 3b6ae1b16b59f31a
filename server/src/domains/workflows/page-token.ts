/**
 * Tokens in page addresses. Page addresses are public, while a webhook token is a password. So a page address must
 * reveal neither the webhooks nor the other pages of the workflow.
 */
import { equalBytes, hmac } from "#kernel/access/crypto.ts";

export type PageType = "form" | "chat";

const PAGE_TOKEN = /^(wf_[0-9a-z]{26})\.([\w-]{43})$/;

export function buildPageToken(workflowId: string, hookToken: string, type: PageType): string {
  const mark = hmac(Buffer.from(hookToken), `page ${type} ${workflowId}`).toString("base64url");
  return `${workflowId}.${mark}`;
}

/** The workflow id in a page token. Valid only if `isPageToken` confirms it. */
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
