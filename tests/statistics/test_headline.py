"""All headline comparisons of a campaign hold together, on hosts that drift."""

import numpy as np
import pytest
from headline_campaigns import SAME, headline_campaign

CAMPAIGNS = 400


@pytest.mark.long
@pytest.mark.parametrize("spread", [0.5, 1.0])
def test_a_server_against_itself_names_a_winner_anywhere_in_at_most_5_percent_of_campaigns(spread):
    found = [headline_campaign(np.random.default_rng((7, n)), SAME, spread, 5) for n in range(CAMPAIGNS)]
    # 5 % of 400 are 20; of so many campaigns at exactly 5 % one in forty would have more than 29.
    assert sum(one.wrong for one in found) <= 29
