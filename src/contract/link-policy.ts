/**
 * The names of policies of read-only links begin with this. A token with such a policy is in the hands
 * of everyone who has the link, so it can neither save views nor end itself.
 */
export const LINK_POLICY_PREFIX = 'link '
