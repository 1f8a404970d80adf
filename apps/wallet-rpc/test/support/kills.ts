import { KillCampaign } from './kill-campaign';

/** Kills a service repeatedly during sends and saves, and checks all of its responses. */
export async function killService(kills: number, isPatient = false): Promise<KillCampaign> {
  const campaign = new KillCampaign();
  try {
    await campaign.start();
    for (let kill = 0; kill < kills; kill++) {
      await campaign.round();
      if (kill % 3 === 0) await campaign.mine();
      expect(campaign.complaints).toEqual([]);
    }
    await campaign.settle(isPatient);
    expect(campaign.complaints).toEqual([]);
    const arrived = await campaign.arrived();
    const { book } = campaign;
    for (const payment of book.payments) {
      const [min, max] = book.expected(payment);
      const count = arrived.get(payment.amount) ?? 0;
      expect([payment, count >= min && count <= max]).toEqual([payment, true]);
    }
    // No payment arrived that was not requested.
    const requested = new Set(book.payments.map(({ amount }) => amount));
    expect([...arrived.keys()].filter((amount) => !requested.has(amount))).toEqual([]);
    return campaign;
  } finally {
    await campaign.end();
  }
}
