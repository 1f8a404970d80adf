import type { UnconfirmedAmount, WalletOutput } from '../ledger/model';
import * as layout from './layout';
import type { ContainerMembers } from './members';
import type { UnknownMembers } from './unknown-members';

/** The outputs of one of the three lists of a sub-wallet. */
export function* decodeOutputs(
  subWallet: ContainerMembers,
  list: 'unspentInputs' | 'lockedInputs' | 'spentInputs',
  isView: boolean,
  unknown: UnknownMembers,
): Generator<void, WalletOutput[]> {
  const outputs: WalletOutput[] = [];
  for (const members of subWallet.objects(list)) {
    const output = decodeOutput(members, isView);
    outputs.push(output);
    const { parentTransactionHash, outputIndex } = output;
    unknown.noteUnknown(members, layout.INPUT, () => layout.pathOf.output(parentTransactionHash, outputIndex));
    yield;
  }
  return outputs;
}

function decodeOutput(members: ContainerMembers, isView: boolean): WalletOutput {
  const keyImage = members.key('keyImage');
  const privateEphemeral = members.has('privateEphemeral') ? members.key('privateEphemeral') : undefined;
  return {
    // In a view wallet the reference of 2025 leaves both as whatever lay in memory.
    keyImage: isView || keyImage === layout.NO_KEY ? undefined : keyImage,
    amount: members.uint64('amount'),
    blockHeight: members.count('blockHeight'),
    transactionPublicKey: members.key('transactionPublicKey'),
    outputIndex: members.count('transactionIndex'),
    // An index that was never told is written as 0, too: only a node can tell the two apart.
    globalIndex: members.count('globalOutputIndex') || undefined,
    key: members.key('key'),
    spendHeight: members.count('spendHeight'),
    unlockTime: members.uint64('unlockTime'),
    parentTransactionHash: members.key('parentTransactionHash'),
    privateEphemeral: isView ? undefined : privateEphemeral,
    spendingTransactionHash: members.has('spendingTransactionHash')
      ? members.key('spendingTransactionHash')
      : undefined,
  };
}

export function* decodeUnconfirmedAmounts(
  subWallet: ContainerMembers,
  unknown: UnknownMembers,
): Generator<void, UnconfirmedAmount[]> {
  const amounts: UnconfirmedAmount[] = [];
  for (const members of subWallet.objects('unconfirmedIncomingAmounts')) {
    const key = members.key('key');
    unknown.noteUnknown(members, layout.UNCONFIRMED_AMOUNT, () => layout.pathOf.unconfirmedAmount(key));
    const parentTransactionHash = members.key('parentTransactionHash');
    amounts.push({ amount: members.uint64('amount'), key, parentTransactionHash });
    yield;
  }
  return amounts;
}
